# A web server.
class role::web {
  include web
}
