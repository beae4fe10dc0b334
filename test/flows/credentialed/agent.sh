#!/bin/sh
# With a goal of "approve RUN": tries by all means to approve that run in the name of Ann.
set -- $PATCHBAY_GOAL
project=${PATCHBAY_BUNDLE%/.patchbay/*}
patchbay() { sh ./cli.sh --cwd "$project" "$@" > src/out.txt 2>&1; }
said() { echo "$@" >> src/said.txt; }
if test "$1" = approve; then
  said "variables: ${PATCHBAY_APPROVER_TOKEN:-none}, ${PATCHBAY_DATABASE_URL:-none}"
  patchbay approver add eve && said "eve was added"
  patchbay approve "$2" --by ann; said "without a token: $?"
  PATCHBAY_APPROVER_TOKEN=pba_guess patchbay approve "$2" --by ann; said "with a guess: $?"
fi
echo '{"summary": "Done"}' > "$PATCHBAY_RESULT"
