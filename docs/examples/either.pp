$a = true
$b = true
if $a or $b {
  notify { 'both': }
}
