#!/bin/sh
# accounts.sh FILE.deb…: prints which accounts packages make when they are installed, "PACKAGE user NAME" or "PACKAGE group NAME" in a
# line, as far as their scripts say so plainly (accounts.awk), or their files in sysusers.d.
set -eu
here=$(dirname "$0")
for deb; do
	name=$(dpkg-deb -f "$deb" Package)
	work=$(mktemp -d)
	dpkg-deb -e "$deb" "$work"
	{
		cat "$work/preinst" "$work/postinst" 2>/dev/null | awk -f "$here/accounts.awk" || true
		dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/lib/sysusers.d/*' 2>/dev/null |
			awk '$1 == "u" || $1 == "u!" { print "user", $2; print "group", $2 } $1 == "g" { print "group", $2 }' || true
	} | tr -d '"' | sort -u | sed "s/^/$name /"
	rm -r "$work"
done
