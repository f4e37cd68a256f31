class role::plain {
  include profile::base
}
