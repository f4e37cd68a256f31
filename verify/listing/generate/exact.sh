#!/bin/sh
# exact.sh DIR FILE.deb…: notes in DIR, in the shape of dpkg's database, what packages hold: every file and directory, the configuration
# files, and what installation scripts visibly make (made.awk, made.txt), which counts as configuration: it is made if it is not there
# and kept if it is.
set -eu
here=$(dirname "$0")
dir=$1
shift
mkdir -p "$dir/info"
for deb; do
	name=$(dpkg-deb -f "$deb" Package)
	at=$dir/info/$name
	dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's/^\.//' >"$at.list"
	work=$(mktemp -d)
	dpkg-deb -e "$deb" "$work"
	: >"$at.conffiles"
	[ ! -e "$work/conffiles" ] || grep '^/' "$work/conffiles" >>"$at.conffiles" || true
	{
		for script in preinst postinst; do
			[ ! -e "$work/$script" ] || awk -f "$here/made.awk" "$work/$script"
		done
		awk -v name="$name" '$1 == name { print $2 }' "$here/made.txt"
	} | sort -u >"$work/made"
	cat "$work/made" >>"$at.list"
	grep -v '/$' "$work/made" >>"$at.conffiles" || true
	rm -r "$work"
	{
		dpkg-deb -f "$deb" Package Version Priority Essential Pre-Depends Depends Provides
		echo
	} >>"$dir/status"
done
