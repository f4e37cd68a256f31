node 'web1.example' {
  include web
}
