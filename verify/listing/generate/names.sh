#!/bin/sh
# names.sh LISTS: prints every name of an archive from the lists that apt keeps (Packages, and Contents with apt-file), one in a line:
#
#	NAME     a package that brings nothing outside of /usr/{bin,sbin,lib,libexec,share,include,games}, no unit and no account
#	NAME +   a package that may
#	NAME =   no package, but some provide it
#
# Contents files name no empty directories and no scripts; that a package makes accounts shows in what it depends on.
set -eu
dir=$1
work=$(mktemp -d)
for f in "$dir"/*_Packages*; do /usr/lib/apt/apt-helper cat-file "$f"; done | awk '
	/^Package: / { name = $2; print name > packages }
	/^(Pre-)?Depends: / && /(^|[ ,])(adduser|ucf|dbconfig-common|debconf-2\.0|systemd-sysv|init-system-helpers|opensysusers)([ ,(]|$)/ { print name > more }
	/^Provides: / { sub(/^Provides: /, ""); n = split($0, p, /, */); for (i = 1; i <= n; i++) { sub(/ .*/, "", p[i]); print p[i] > provided } }
' packages="$work/packages" more="$work/more" provided="$work/provided"
for f in "$dir"/*_Contents-*; do /usr/lib/apt/apt-helper cat-file "$f"; done |
	grep -Ev '^(usr/(bin|sbin|lib|libexec|share|include|games)|bin|sbin|lib|lib64)/' >"$work/outside" || true
for f in "$dir"/*_Contents-*; do /usr/lib/apt/apt-helper cat-file "$f"; done |
	grep -E '^(usr/)?lib/(systemd/system/[^/]*|sysusers\.d/.*|tmpfiles\.d/.*) ' >>"$work/outside" || true
awk '{ n = split($NF, p, ","); for (i = 1; i <= n; i++) { sub(/.*\//, "", p[i]); print p[i] } }' "$work/outside" >>"$work/more"
sort -u "$work/packages" -o "$work/packages"
sort -u "$work/more" -o "$work/more"
sort -u "$work/provided" -o "$work/provided"
{
	comm -23 "$work/packages" "$work/more"
	comm -12 "$work/packages" "$work/more" | sed 's/$/ +/'
	comm -13 "$work/packages" "$work/provided" | sed 's/$/ =/'
} | grep -vE '^(librust|libghc)-.* =$' | LC_ALL=C sort # libraries of Rust and Haskell have thousands, which nobody declares
rm -r "$work"
