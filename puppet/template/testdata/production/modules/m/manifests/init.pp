class m($param = 'p') {
  $local = 'l'
  $nothing = undef
  notify { 'm': message => template('m/scope.erb') }
}
