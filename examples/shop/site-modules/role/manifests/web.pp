# A machine that serves the shop to its customers.
class role::web {
  include profile::base
  include profile::nginx
  include profile::web::shop
}
