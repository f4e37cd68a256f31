#!/bin/sh
# Runs the acceptance bars of one topic: each prints its figure beside the bar, and fails when it is missed.
set -eu
export BUNRAKU_ACCEPT=1
status=0
run() {
  echo "== $1: go test -run '$3' $2"
  go test -count=1 -timeout 3h -v -run "$3" "$2" >"$log" 2>&1 || status=1
  grep -v '^=== ' "$log"
  if grep -q 'no tests to run' "$log"; then
    echo "== $1: no test is called that: a bar that is not there does not hold"
    status=1
  fi
}
race() { # with the race detector, which needs a C compiler
  if ! command -v gcc >/dev/null; then
    echo "== $1: there is no C compiler for the race detector; without it:"
    run "$@"
    return
  fi
  echo "== $1: go test -race -run '$3' $2"
  CGO_ENABLED=1 go test -race -count=1 -timeout 3h -v -run "$3" "$2" >"$log" 2>&1 || status=1
  grep -v '^=== ' "$log"
}
fuzz() {
  echo "== $1: fuzzing $3 of $2 for $4"
  go test -run '^$' -fuzz "^$3\$" -fuzztime "$4" "$2" >"$log" 2>&1 || status=1
  tail -n 2 "$log"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
topics="syntax engine anyrepo sites explain verify diff smartfrog mupuppet lsp lint web serve stored"
case "${1:-}" in
syntax)
  run "front end" ./puppet/syntax 'TestScorePN|TestScorePrint|TestScoreMutants|TestNesting|TestLinear|TestAccept'
  for target in FuzzScan FuzzParse FuzzEPP; do fuzz "front end" ./puppet/syntax "$target" 10m; done
  ;;
engine)
  run "budgets" ./budget 'Test'
  run "layers, doors, architecture" . 'Test'
  run "hostile trees" ./cmd/bunraku 'TestHostile|TestAcceptHostile'
  run "a check from nothing" ./cmd/bunraku 'TestAcceptCold'
  run "bounds" ./puppet/ruby 'TestBounds|TestParseBounds'
  run "bounds of manifests" ./puppet/eval 'TestBounds|TestHostile'
  run "bounds of data and templates, and what lies outside" ./puppet/compiler 'TestOutside|TestLinkInside|TestDataBombs|TestTemplateBombs'
  run "bounds of type definitions" ./puppet/resource 'TestWhatCannotBeRead'
  run "files and snapshots" ./source/... 'Test'
  race "16 goroutines over 3 snapshots of each site" ./fleet 'TestAcceptTogether|TestTogether'
  run "1,000 cancellations" ./fleet 'TestAcceptCancelled'
  run "snapshots, memory, traces, cost" ./puppet/compiler 'TestAccept|TestSnapshot'
  sh bench/newcomer.sh || status=1
  ;;
anyrepo)
  run "public trees as they were cloned" ./cmd/bunraku 'TestAcceptAnyRepo'
  run "public classes with the modules that they need, asked of Puppet" ./puppet/compiler 'TestAcceptWithModules'
  run "truth of what check says of them" ./cmd/bunraku 'TestAcceptJudged'
  run "planted faults, and what is taken away that is called unused" ./cmd/bunraku 'TestAcceptPlanted|TestAcceptUnusedAway'
  run "what nothing names, and no node of real sites uses" ./audit 'TestAcceptUnused|TestUnused'
  run "built-in facts, as facterdb and facter have them" ./puppet/facts 'TestSystems|TestLegacy'
  run "what people download" ./cmd/bunraku 'TestAcceptDist'
  run "what continuous integration runs" ./cmd/bunraku 'TestAction|TestGitLab|TestPreCommit|TestManual'
  run "nodes without facts, stand-ins, coverage" ./cmd/bunraku 'TestCheckWith|TestCheckModuleWithout|TestCoverage'
  ;;
sites)
  run "evaluator" ./puppet/eval 'TestScore(Upuppet|Cases|Random)$|TestRules'
  run "sites" ./puppet/compiler 'TestScore(Sites|Refusals|RandomSites)$|TestAcceptSpeed$'
  export BUNRAKU_SUBJECT='[.]pp$' # the corpus and the probes
  run "theorems over the corpus" ./puppet/compiler 'TestScoreTheorems'
  unset BUNRAKU_SUBJECT
  run "sites and refusals" ./puppet/compiler 'TestScoreSites|TestScoreRefusals|TestSmallSites'
  run "templates" ./puppet/template 'TestScoreTemplates'
  run "functions of stdlib and modules, with the table of uses" ./puppet/functions/stdlib 'TestScore|TestUses'
  run "resource types of modules" ./puppet/resource 'TestModuleTypesAsPuppet|TestAutomaticRelationsAsPuppet|TestTitlesAsPuppet'
  run "functions in Ruby, over the bridge and in our own interpreter" ./puppet/bridge 'TestAPI|TestOwnAPI|TestScore'
  run "Hiera backends in Ruby; functions in Go by the source that they were checked against" ./puppet/compiler 'TestBackends|TestRuby|TestChecked|TestChangedSource'
  run "speed" ./puppet/compiler 'TestAcceptSpeedAll'
  export BUNRAKU_SUBJECT='^sites'
  run "theorems and precision over the sites" ./puppet/compiler 'TestScoreTheorems'
  unset BUNRAKU_SUBJECT
  # Puppet's answers are kept below $BUNRAKU_FETCHED, so that each goes on where it was ended.
  run "every class of today's modules on four machines, sites of our own over them, and their authors' examples, as Puppet 8" ./puppet/compiler 'TestAcceptModern'
  run "moving from Puppet 7 to 8: planted trouble and the sites, asked of both" ./fleet/migrate 'TestAccept'
  run "explain every site" ./cmd/bunraku 'TestAcceptExplainSites'
  ;;
explain)
  run "theorems and precision" ./puppet/compiler 'TestScoreTheorems'
  run "rules" ./puppet/eval 'TestRules'
  run "cost" ./puppet/compiler 'TestAccept(Speed|Memory)'
  run "explain" ./cmd/bunraku 'TestExplain|TestAcceptExplainSites|TestSixtyQuestions'
  run "the side file at 20,000 resources" ./cmd/bunraku 'TestAcceptSideFile'
  run "paths on a million pairs" ./cmd/bunraku 'TestAcceptPaths'
  run "300 planted absences: why not names the reason" ./cmd/bunraku 'TestAcceptWhyNot|TestWhyNot'
  run "200 planted differences between two nodes: the cause comes first" ./cmd/bunraku 'TestAcceptAgainst'
  run "100 histories of 1,000 commits: which of them changed it, and how long that takes" ./cmd/bunraku 'TestAcceptSince'
  run "planted leaks and influences" ./cmd/bunraku 'TestScorePolicyPlanted'
  ;;
verify)
  run "verdicts and recorded catalogs" ./verify/model 'TestScoreVerdicts|TestDpkgVerdicts|TestCases|TestAccept(Verdict|Case|Cost|Node|Fixes|FSMoVe|OOPSLA|Citac)'
  run "claims that an agent had refuted" ./verify/model 'TestScoreRefutedClaims'
  # Needs root, and a machine made by verify/model/testdata/agent/root.sh; what an agent has answered is not asked again.
  BUNRAKU_AGENT_SEEDS=${BUNRAKU_AGENT_SEEDS:-0-199} run "an agent judges random catalogs" ./verify/model 'TestScoreAgent$'
  unset BUNRAKU_AGENT_SEEDS # what follows goes on until its bar is reached
  run "--after: an agent judges 500 pairs of catalogs" ./verify/model 'TestScoreAgentAfter$'
  run "--recover: an agent is killed, or a command fails, in 300 catalogs" ./verify/model 'TestAcceptRecoverAgent$'
  run "figure 13" ./verify 'TestAcceptFigure13'
  run "errata" ./verify 'TestErrat'
  run "planted faults" ./verify 'TestPlantedFaults|TestAcceptPlantedFaults'
  run "200,000 random graphs" ./verify 'TestAcceptRandomGraphs'
  run "300,000 random graphs with the effects of catalogs, and planted faults" ./verify 'TestAcceptEffectGraphs|TestAcceptPlantedEffects'
  ;;
diff)
  run "fleets: time, memory, size of the store" ./fleet/store 'TestAcceptFleet|TestReuse|TestAlike|TestSecrets|TestRefused'
  run "a million nodes" ./fleet/store 'TestAcceptMillion'
  run "10,000 and 100,000 by the program" ./cmd/bunraku 'TestAcceptDiffFleet|TestAcceptDiffTenfold'
  run "100 kills" ./fleet/store 'TestAcceptKilled'
  run "causes and groups of planted commits" ./fleet 'TestAcceptDiff'
  run "what follows, as verify --after says; formats against their schemas" ./cmd/bunraku 'TestAcceptDiffAfter|TestDiffFindings|TestSchemas'
  run "octocatalog-diff's documented ignores and filters" ./diff 'TestIgnore|TestFilter|TestOcto'
  run "the same differences as real Puppet's" ./fleet 'TestScoreDiffPuppet'
  # Puppet's answers are kept below $BUNRAKU_FETCHED, so that it goes on where it was ended; BUNRAKU_PAIRS=N looks at fewer.
  run "the same differences as real Puppet's, over the history of real sites" ./fleet 'TestAcceptHistory'
  run "traces hold over 100,000 mutations of real sites" ./puppet/compiler 'TestAcceptTraces/(sound|sharp)$'
  run "shards and workers: the bytes of one run" ./cmd/bunraku 'TestShards|TestFleet'
  run "100 kills alone, in shards and with workers" ./cmd/bunraku 'TestAcceptKilled'
  run "a cluster of three servers that are killed and cut off" ./cmd/bunraku 'TestAcceptCluster'
  run "servers that leave and come back" ./fleet/queue 'TestServe|TestCluster'
  ;;
smartfrog) run "SmartFrog" ./smartfrog 'TestScore|TestAccept' ;;
mupuppet)
  run "µPuppet" ./mupuppet 'TestScore|TestAccept'
  run "µPuppet against the evaluator" ./puppet/eval 'TestScoreMupuppet|TestMupuppetCorpus'
  ;;
lsp)
  run "the editor" ./lsp 'Test'
  run "check and the editors' own clients" ./cmd/bunraku 'TestLSP|TestNeovim|TestEmacs'
  fuzz "positions" ./lsp FuzzMapper 5m
  run "the grammar for VS Code" ./puppet/syntax 'TestAcceptGrammar'
  ;;
serve)
  run "catalogs, static ones, throughput, memory: against puppetserver" ./serve 'TestAcceptServe(Catalogs|Static|Odd|Throughput|Memory)'
  run "shadow, deploys and pushes under load" ./serve 'TestAcceptServe(Shadow|Reload|Pushes)'
  run "YAML as puppetserver's Ruby writes it" ./puppet/psych 'TestAcceptOlder|TestOlder'
  run "reports that are sent on, as puppetserver sends them" ./serve 'TestAcceptServeForward'
  run "what PuppetDB is told" ./puppetdb 'TestAcceptWireCatalogs|TestScoreWire'
  run "killed a hundred times, and a full disk: nothing is lost unsaid" ./serve 'TestAcceptServeKilled|TestFullDisk|TestDiskFull'
  run "real agents 7 and 8, against puppetserver" ./serve 'TestAcceptServeAgents|TestScoreServeAgent'
  run "hostile clients, and reports that are sent on" ./serve 'TestHostile|TestNoUnknownServed|TestRules|TestForward'
  fuzz "requests" ./serve FuzzRequest 5m
  run "10,000 agents for half an hour" ./serve 'TestAcceptServeFleet'
  ;;
lint)
  run "lint as puppet-lint, its plugins and metadata-json-lint" ./lint 'Test'
  run "check --lint" ./cmd/bunraku 'TestLint'
  fuzz "lint" ./lint FuzzLint 5m
  ;;
web)
  run "the server, its pages' weight, 100,000 rows, the build" ./web 'Test'
  run "every page, link and task in a real browser, and times" ./cmd/bunraku 'TestScoreWeb|TestAcceptWeb|TestHostileWeb|TestHostileChange'
  ;;
stored)
  run "classifiers" ./cmd/bunraku 'TestScoreEnc'
  run "exported resources, recorded" ./fleet 'TestScoreExchange$'
  run "exported resources, with a PuppetDB" ./fleet 'TestAcceptExchange'
  run "theorems across nodes" ./fleet 'TestScoreExchangeTheorems'
  run "the client, and facts of 2,000 nodes" ./puppetdb 'Test'
  ;;
*)
  echo "say which topic: make accept TOPIC=… ($topics)"
  exit 2
  ;;
esac
[ "$status" = 0 ] && echo "all bars of $1 hold" || echo "a bar of $1 is missed"
exit "$status"
