#!/bin/sh
# Runs the acceptance bars of one issue ("n of 7"): each prints its figure beside the bar and fails when it is missed.
set -eu
export BUNRAKU_ACCEPT=1
run() { echo "== $1: go test -run '$3' $2"; go test -count=1 -timeout 3h -v -run "$3" "$2" | grep -v '^=== '; }
case "${1:-}" in
1)
  run "front end" ./syntax 'TestAccept'
  sh bench/newcomer.sh
  ;;
6) run "SmartFrog" ./smartfrog 'TestAccept' ;;
7) run "µPuppet" ./mupuppet 'TestAccept' ;;
*) echo "no bars are written down yet for issue ${1:-?} of 7"; exit 2 ;;
esac
