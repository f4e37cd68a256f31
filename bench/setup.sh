#!/bin/sh
# Installs what the tests compare us with: real Puppet and Debian's modules. Where that is not possible it says what will be skipped.
set -u
want="puppet-agent puppet-lint"
if command -v puppet >/dev/null 2>&1 && [ -d /usr/share/puppet/modules/stdlib ] && [ -d /usr/share/puppet/modules/zookeeper ]; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: real Puppet and Debian's puppet-module-* packages are not installed, and this is not Debian as root:"
  echo "setup: the tests that compare with them will be skipped (the recorded answers are still checked)"
  exit 0
fi
echo "setup: installing puppet-agent and Debian's puppet modules (about 40 s)"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null && modules=$(apt-cache search --names-only '^puppet-module-' | cut -d' ' -f1) &&
  apt-get install -y -qq --no-install-recommends $want $modules >/dev/null || echo "setup: the installation failed; tests that need it will be skipped"
exit 0
