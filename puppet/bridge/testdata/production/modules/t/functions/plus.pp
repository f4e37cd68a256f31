function t::plus($a, $b) { $a + $b }
