define m::d($p = 'x', $q = undef) { assert_private('only m') }
