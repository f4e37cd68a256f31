#!/bin/sh
# root.sh DIR: makes in DIR what agent_test.go needs to ask a real agent, as root on Debian 12:
#
#	DIR/root   a fresh machine: Debian's base system with puppet-agent, a stand-in for systemctl, a local repository of packages
#	DIR/lists  what these packages bring, in the shape of dpkg's database
#
# It needs debootstrap and a Debian mirror; what is there already is kept, except for the packages and the stand-in.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
mkdir -p "$dir"
root=$dir/root
[ -e "$root/etc/debian_version" ] || debootstrap --include=puppet-agent,puppet-module-puppetlabs-stdlib,puppet-module-puppetlabs-cron-core,puppet-module-puppetlabs-host-core,puppet-module-puppetlabs-mount-core,apt-utils bookworm "$root"
rm -rf "$dir/debs" "$dir/lists" "$root/proc" "$root/srv/repository"
# No file system of the kernel's is mounted there: agents ask it only whether systemd runs.
mkdir -p "$root/proc/1" "$dir/debs" "$root/srv/repository" "$root/var/lib/standin/active" "$root/var/lib/standin/enabled" "$root/var/lib/judge/machine"
echo systemd >"$root/proc/1/comm"
cp "$here/systemctl" "$root/usr/bin/systemctl"
chmod 755 "$root/usr/bin/systemctl"

# deb NAME DEPENDS: packs the tree $work/NAME; what it has in /etc is configuration.
work=$(mktemp -d)
deb() {
	mkdir -p "$work/$1/DEBIAN"
	(cd "$work/$1" && find etc -type f 2>/dev/null | sed 's|^|/|' | sort) >"$work/$1/DEBIAN/conffiles"
	printf 'Package: %s\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@invalid>\nDepends: %s\nDescription: for tests\n' "$1" "$2" |
		sed '/^Depends: $/d' >"$work/$1/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$work/$1" "$dir/debs/$1_1.0_all.deb" >/dev/null
}
unit() {
	mkdir -p "$work/$1/lib/systemd/system"
	printf '[Service]\nExecStart=/usr/sbin/%s\n' "$2" >"$work/$1/lib/systemd/system/$2.service"
}
program() {
	mkdir -p "$(dirname "$work/$1$2")"
	printf '#!/bin/sh\n%s\n' "$3" >"$work/$1$2"
	chmod 755 "$work/$1$2"
}
mkdir -p "$work/acme/etc/acme/conf.d" "$work/acme/var/lib/acme"
echo 'port = 80' >"$work/acme/etc/acme/acme.conf"
program acme /usr/sbin/acme 'exec sleep 1'
unit acme acme
mkdir -p "$work/acme/DEBIAN"
printf '#!/bin/sh\nset -e\ngetent passwd acme >/dev/null || useradd --system --user-group --home-dir /var/lib/acme acme\n' >"$work/acme/DEBIAN/postinst"
chmod 755 "$work/acme/DEBIAN/postinst"
deb acme ''
mkdir -p "$work/acme-plugins/etc/acme/conf.d"
echo 'plugin = 1' >"$work/acme-plugins/etc/acme/conf.d/plugin.conf"
deb acme-plugins acme
program frob /usr/bin/frob 'for f; do echo frob >"$f" || exit 1; done'
deb frob ''
mkdir -p "$work/tools-common/etc/tools" "$work/tools-common/usr/share/tools"
echo 'level = 1' >"$work/tools-common/etc/tools/tools.conf"
echo data >"$work/tools-common/usr/share/tools/data"
deb tools-common ''
program tools /usr/bin/tool 'test -e /etc/tools/tools.conf'
mkdir -p "$work/tools/etc/tools/enabled"
deb tools tools-common
mkdir -p "$work/solod/etc/solo"
echo 'a = 1' >"$work/solod/etc/solo/solo.ini"
program solod /usr/sbin/solod 'exec sleep 1'
unit solod solod
deb solod ''
rm -r "$work"
"$here/../../../listing/generate/exact.sh" "$dir/lists" "$dir"/debs/*.deb
# Their scripts, which say what accounts they make, are where dpkg has them.
for deb in "$dir"/debs/*.deb; do
	dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./postinst >"$dir/lists/info/$(dpkg-deb -f "$deb" Package).postinst" 2>/dev/null || true
done
find "$dir/lists/info" -name '*.postinst' -empty -delete
cp "$dir"/debs/*.deb "$root/srv/repository"
(cd "$root/srv/repository" && apt-ftparchive packages . >Packages 2>/dev/null || dpkg-scanpackages -m . >Packages 2>/dev/null)
mv "$root/srv/repository" "$root/usr/share/judge-repository.new"
rm -rf "$root/usr/share/judge-repository"
mv "$root/usr/share/judge-repository.new" "$root/usr/share/judge-repository"
rm -f "$root/etc/apt/sources.list.d"/*
echo 'deb [trusted=yes] file:/usr/share/judge-repository ./' >"$root/etc/apt/sources.list"
chroot "$root" apt-get -qq update
