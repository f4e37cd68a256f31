#!/bin/sh
# Installs what the tests compare us with: real Puppet, Debian's modules, the SAT solvers that `--solver` can name, two editors, pre-commit, rpm,
# a browser with a font and the node that drives it, puppetserver, and validators of XML and JSON. Puppet is to have its translations, as the packages of its authors
# do: with them String#% leaves alone what it has no value for.
# Where that is not possible it says what will be skipped.
set -u
there() { command -v "$1" >/dev/null 2>&1; }
complete() {
  there script && there puppet && there puppet-lint && there minisat && there cadical && there z3 && there nvim && there emacs && there pre-commit && there rpm &&
    there chromium && there node && there npm && there xmllint && python3 -c 'import jsonschema' 2>/dev/null && ruby -e 'require "gettext-setup"' 2>/dev/null &&
    [ -d /usr/share/emacs/site-lisp/elpa-src ] && [ -f /etc/puppet/puppetserver/conf.d/auth.conf ] && [ -d /usr/share/fonts/truetype/liberation ] &&
    [ -d /usr/share/puppet/modules/stdlib ] && [ -d /usr/share/puppet/modules/zookeeper ]
}
complete && exit 0
if [ "$(id -u)" != 0 ] || ! there apt-get; then
  echo "setup: real Puppet, Debian's puppet-module-* packages, the SAT solvers, the editors, pre-commit, rpm or the browser are not installed, and this is not Debian as root:"
  echo "setup: the tests that compare with them will be skipped (the recorded answers are still checked)"
  exit 0
fi
echo "setup: installing puppet-agent, Debian's puppet modules, three SAT solvers, two editors, pre-commit, rpm and a browser (some minutes)"
export DEBIAN_FRONTEND=noninteractive
node="nodejs npm"
there node && there npm && node=
apt-get update -qq >/dev/null && modules=$(apt-cache search --names-only '^puppet-module-' | cut -d' ' -f1) &&
  apt-get install -y -qq --no-install-recommends bsdutils puppet-agent ruby-gettext-setup puppetserver puppet-lint minisat cadical z3 neovim emacs-nox elpa-eglot pre-commit rpm chromium fonts-liberation libxml2-utils python3-jsonschema $node $modules >/dev/null
complete || echo "setup: the installation is not complete; tests that need the rest will be skipped"
exit 0
