# A database server.
class role::db {
  package { 'postgresql': }
}
