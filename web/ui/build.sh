#!/bin/sh
# Builds the pages into web/dist, or into the directory that is named; --room only says where npm's packages are. Those
# are kept outside of the tree, by the digest of what asks for them.
set -eu
ui=$(cd "$(dirname "$0")" && pwd)
lock=$(cat "$ui/package.json" "$ui/package-lock.json" | sha256sum | cut -c1-16)
room=${XDG_CACHE_HOME:-$HOME/.cache}/bunraku-web/$lock
if [ ! -e "$room/complete" ]; then
  mkdir -p "$room"
  cp "$ui/package.json" "$ui/package-lock.json" "$room/"
  # not `npm ci`, which asks for the packages of every other system as well
  (cd "$room" && npm install --no-save --no-audit --no-fund --ignore-scripts >&2)
  touch "$room/complete"
fi
if [ "${1:-}" = --room ]; then
  echo "$room"
  exit 0
fi
mkdir -p "${1:-$ui/../dist}"
out=$(cd "${1:-$ui/../dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$ui/." "$work/"
ln -s "$room/node_modules" "$work/node_modules"
cd "$work"
BUNRAKU_DIST=$out node node_modules/vite/bin/vite.js build --logLevel warn
