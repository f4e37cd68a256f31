class web::selinux {
  selboolean { 'httpd_can_network_connect': vaule => on }
}
