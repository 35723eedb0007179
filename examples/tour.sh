#!/bin/sh
# The main job, once through: lint a tools file with a fault, lint the clean one, run the agent with its tools, look at
# what happened. Uses the embedded model "offline", which is no language model: it runs the calls written in the query.
set -eu

adal_ls=${ADAL_LS:-adal-ls}
cd "$(dirname "$0")"
query='list_changes() draft_release_notes(version="1.4.0")'

step() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

step '$ adal-ls check faulty        # one deliberate fault'
code=0; "$adal_ls" check faulty || code=$?
[ "$code" -eq 1 ] || { echo "expected exit code 1 (errors found), got $code" >&2; exit 1; }

step '$ adal-ls check workspace'
"$adal_ls" check workspace

cd workspace
if [ -t 0 ] && [ -t 2 ]; then
    step "\$ adal-ls run --trust -q '$query'        # asks before it writes"
    "$adal_ls" run --trust -q "$query"
else
    step "\$ adal-ls run --trust -q '$query'        # no terminal: what asks is not run"
    code=0; "$adal_ls" run --trust -q "$query" || code=$?
    [ "$code" -eq 3 ] || { echo "expected exit code 3 (not approved), got $code" >&2; exit 1; }
    step "\$ adal-ls run --trust --yolo -q '$query'        # --yolo: everything is allowed"
    "$adal_ls" run --trust --yolo -q "$query"
    cat drafts/1.4.0.md
fi

run=$("$adal_ls" runs list | head -n 1 | cut -c 1-8)
step "\$ adal-ls runs show $run"
"$adal_ls" runs show "$run"
