# How somebody is greeted.
function profile::greeted(String $who, Boolean $loud = false) >> String {
  $text = "Ahoy ${who}"
  if $loud {
    upcase("${text}!")
  } else {
    "${text}."
  }
}
