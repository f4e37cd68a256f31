#!/bin/sh
# programs.sh ROOT: prints the programs in PATH of a fresh machine, one a line: those of the base system and of the agent, with the links
# that update-alternatives makes, which no list of a package has. ROOT is what verify/model/testdata/agent/root.sh makes.
set -eu
cd "$1"
for d in usr/bin usr/sbin; do
	ls "$d" | sed "s|^|/$d/|"
done | LC_ALL=C sort
