#!/bin/sh
# Plays a newcomer on a bare machine: a Debian 12 of which there is nothing but what every system has, make, git and Go, without a locale. The README's two
# commands run there in a fresh clone. Needs root, debootstrap and Debian's mirror; some 20 minutes. BARE names where the system is kept for the next time.
set -eu
here=$(git rev-parse --show-toplevel)
go=$(go env GOROOT)
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
if [ -n "${BARE:-}" ]; then base=$BARE; else base=$(mktemp -d); fi
[ -x "$base/usr/bin/make" ] || debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$base" >"$base.log" 2>&1 ||
  { tail -n 5 "$base.log"; exit 1; }
system=$(mktemp -d)
cleanup() {
  umount -R "$system/dev" "$system/proc" 2>/dev/null || true
  # Nothing is removed while something of this machine is still mounted below it.
  grep -q " $system/" /proc/mounts || rm -rf "$system"
}
trap cleanup EXIT
cp -a "$base/." "$system"
cp -a "$go" "$system/usr/local/go"
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev" && mount --make-rslave "$system/dev"
cp /etc/resolv.conf "$system/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/" # of a network with certificates of its own, too
git clone -q "$here" "$system/root/origin"
[ ! -d "$here/../shared" ] || cp -a "$here/../shared" "$system/root/shared"
cp "$here/bench/newcomer.sh" "$system/root/"
chroot "$system" env -i PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${CI:+CI="$CI"} \
  GOPROXY="$(go env GOPROXY)" BUNRAKU_SHARED=/root/shared sh -c 'cd /root/origin && git --version && sh /root/newcomer.sh'
