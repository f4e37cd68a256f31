#!/bin/sh
# Runs the acceptance bars of one issue ("n of 7"): each prints its figure beside the bar and fails when it is missed.
set -eu
export BUNRAKU_ACCEPT=1
status=0
run() {
  echo "== $1: go test -run '$3' $2"
  go test -count=1 -timeout 3h -v -run "$3" "$2" >"$log" 2>&1 || status=1
  grep -v '^=== ' "$log"
}
fuzz() {
  echo "== $1: fuzzing $3 of $2 for $4"
  go test -run '^$' -fuzz "^$3\$" -fuzztime "$4" "$2" >"$log" 2>&1 || status=1
  tail -n 2 "$log"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
case "${1:-}" in
1)
  run "front end" ./puppet/syntax 'TestScorePN|TestScorePrint|TestScoreMutants|TestNesting|TestLinear|TestAccept'
  for target in FuzzScan FuzzParse FuzzEPP; do fuzz "front end" ./puppet/syntax "$target" 10m; done
  sh bench/newcomer.sh || status=1
  ;;
2)
  run "evaluator" ./puppet/eval 'TestScore(Upuppet|Cases|Random)$|TestRules'
  run "sites" ./puppet/compiler 'TestScore(Sites|Refusals|RandomSites)$|TestAcceptSpeed$'
  export BUNRAKU_SUBJECT='[.]pp$' # the corpus and the probes
  run "theorems over the corpus" ./puppet/compiler 'TestScoreTheorems'
  unset BUNRAKU_SUBJECT
  ;;
3)
  run "theorems and precision" ./puppet/compiler 'TestScoreTheorems'
  run "rules" ./puppet/eval 'TestRules'
  run "cost" ./puppet/compiler 'TestAccept(Speed|Memory)'
  run "explain" ./cmd/bunraku 'TestExplain|TestAcceptExplainSites'
  ;;
4)
  run "verdicts and recorded catalogs" ./verify/model 'TestScoreVerdicts|TestDpkgVerdicts|TestCases|TestAccept'
  run "figure 13" ./verify 'TestAcceptFigure13'
  run "errata" ./verify 'TestErrat'
  run "planted faults" ./verify 'TestPlantedFaults|TestAcceptPlantedFaults'
  run "200,000 random graphs" ./verify 'TestAcceptRandomGraphs'
  ;;
5)
  run "sites and refusals (bar 1)" ./puppet/compiler 'TestScoreSites|TestScoreRefusals|TestSmallSites'
  run "templates (bar 2)" ./puppet/template 'TestScoreTemplates'
  run "functions of stdlib and modules, with the table of uses (bar 3)" ./puppet/functions/stdlib 'TestScore|TestUses'
  run "resource types of modules" ./puppet/resource 'TestModuleTypesAsPuppet|TestAutomaticRelationsAsPuppet|TestTitlesAsPuppet'
  run "functions that only Ruby has, over the bridge" ./puppet/bridge 'TestAPI|TestScore'
  run "speed (bar 4)" ./puppet/compiler 'TestAcceptSpeedAll'
  export BUNRAKU_SUBJECT='^sites'
  run "theorems and precision over the sites (bar 5)" ./puppet/compiler 'TestScoreTheorems'
  unset BUNRAKU_SUBJECT
  run "explain every site (bar 5)" ./cmd/bunraku 'TestAcceptExplainSites'
  run "bounds (bar 6)" ./puppet/ruby 'TestBounds|TestParseBounds'
  run "bounds of manifests (bar 6)" ./puppet/eval 'TestBounds|TestHostile'
  run "bounds of data and templates, and what lies outside (bar 6)" ./puppet/compiler 'TestOutside|TestLinkInside|TestDataBombs|TestTemplateBombs'
  run "bounds of type definitions (bar 6)" ./puppet/resource 'TestWhatCannotBeRead'
  ;;
6) run "SmartFrog" ./smartfrog 'TestScore|TestAccept' ;;
7)
  run "µPuppet" ./mupuppet 'TestScore|TestAccept'
  run "µPuppet against the evaluator" ./puppet/eval 'TestScoreMupuppet|TestMupuppetCorpus'
  ;;
*)
  echo "no bars are written down yet for issue ${1:-?} of 7"
  exit 2
  ;;
esac
[ "$status" = 0 ] && echo "all bars of issue $1 hold" || echo "a bar of issue $1 is missed"
exit "$status"
