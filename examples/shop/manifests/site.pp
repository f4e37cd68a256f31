# Which machine plays which role.
File {
  owner => 'root',
  group => 'root',
}

node /^web\d+\.shop\.example$/ {
  include role::web
}

node 'db1.shop.example' {
  include role::db
}

node default {
  fail("No role for ${trusted['certname']}: add it to manifests/site.pp")
}
