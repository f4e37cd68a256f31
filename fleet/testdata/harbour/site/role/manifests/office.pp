class role::office inherits role::plain {
  include profile::papers
}
