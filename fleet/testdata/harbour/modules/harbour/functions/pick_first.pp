function harbour::pick_first($a, $b) {
  $a ? { undef => $b, default => $a }
}
