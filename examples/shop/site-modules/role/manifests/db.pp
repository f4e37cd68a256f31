# The machine that holds the orders.
class role::db {
  include profile::base
  include profile::database
}
