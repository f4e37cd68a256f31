# A class whose parameter does not get what it expects.
class web (
  Integer $workers = 2,
) {
  notify { "${workers} workers": }
}
