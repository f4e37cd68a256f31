#!/bin/bash
# The steps of the GitHub action (action.yml). What a pull request says is data here: it comes in variables, is never
# part of a command, and the step that may write (comment) does not run for forks.
set -euo pipefail
report=${RUNNER_TEMP:-/tmp}/bunraku-report.txt
case "${1:-}" in
install)
  # The action's own checkout is the program's source. A program that is there already is taken.
  if ! command -v bunraku >/dev/null; then
    mkdir -p "${RUNNER_TEMP:-/tmp}/bunraku-bin"
    (cd "$GITHUB_ACTION_PATH" && CGO_ENABLED=0 go build -trimpath -o "${RUNNER_TEMP:-/tmp}/bunraku-bin/bunraku" ./cmd/bunraku)
    echo "${RUNNER_TEMP:-/tmp}/bunraku-bin" >>"$GITHUB_PATH"
  fi
  ;;
check)
  read -r -a args <<<"${BUNRAKU_ARGS:-}" || true
  status=0
  bunraku check "${BUNRAKU_PATH:-.}" --format github ${args[@]+"${args[@]}"} || status=$?
  bunraku check "${BUNRAKU_PATH:-.}" ${args[@]+"${args[@]}"} >"$report" 2>&1 || true
  {
    echo '### bunraku check'
    echo
    sed 's/^/    /' "$report" # indented: Markdown takes nothing in it for its own
  } >>"$GITHUB_STEP_SUMMARY"
  exit "$status"
  ;;
comment)
  # One comment, found by its mark, is kept up to date.
  mark='<!-- bunraku check -->'
  body=$(printf '%s\n### bunraku check\n\n%s\n' "$mark" "$(head -c 60000 "$report" | sed 's/^/    /')")
  id=$(gh api "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --paginate \
    --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
  if [ -n "$id" ]; then
    gh api -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -f body="$body" >/dev/null
  else
    gh api "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" -f body="$body" >/dev/null
  fi
  ;;
*)
  echo "usage: action.sh install|check|comment" >&2
  exit 1
  ;;
esac
