define m::def($name_ = $title, $list = ['x', 2]) {
  notify { "def-$title": message => template('m/list.erb') }
}
