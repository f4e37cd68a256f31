#!/bin/sh
# Plays a newcomer: clones this repository into an empty folder and runs the README's two commands, nothing else.
set -eu
here=$(git rev-parse --show-toplevel)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git clone -q "$here" "$dir/bunraku"
cd "$dir/bunraku"
sed -n '/^## Start/,/^## /p' README.md | sed -n 's/^    \(go run\|make\) /\1 /p' >"$dir/commands"
[ "$(wc -l <"$dir/commands")" = 2 ] || { echo "the README has not exactly two commands"; exit 1; }
while read -r command; do
  echo "\$ $command"
  sh -c "$command" </dev/null >"$dir/out" 2>&1 || { cat "$dir/out"; echo "newcomer: failed: $command"; exit 1; }
  tail -n 3 "$dir/out"
done <"$dir/commands"
echo "newcomer: both commands work in a fresh clone"
