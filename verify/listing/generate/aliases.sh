#!/bin/sh
# aliases.sh DIR: prints by which other names the services of Debian's packages go, a line each: the name, and the unit. DIR has the
# packages, as apt-get download leaves them: those that have a unit below /lib/systemd/system. A unit gets the names of its Alias= when
# it is enabled, so only those count that the package's own script enables.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for deb in "$1"/*.deb; do
	rm -rf "$work/unit" "$work/control"
	mkdir "$work/unit"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/unit" --wildcards './lib/systemd/system/*.service' './usr/lib/systemd/system/*.service' \
		2>/dev/null || true
	find "$work/unit" -type f -name '*.service' -exec grep -H '^Alias=' {} + >"$work/found" 2>/dev/null || continue
	dpkg-deb --control "$deb" "$work/control"
	[ -f "$work/control/postinst" ] || continue
	while IFS= read -r line; do
		unit=$(basename "${line%%:Alias=*}" .service)
		grep -q "deb-systemd-helper.* enable .*$unit\.service" "$work/control/postinst" || continue
		for name in ${line#*:Alias=}; do
			case $name in
			*/*) ;; # a link that somebody else wants
			*.service) [ "${name%.service}" = "$unit" ] || echo "${name%.service} $unit" ;;
			esac
		done
	done <"$work/found"
done | LC_ALL=C sort -u
