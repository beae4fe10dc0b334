#!/bin/sh
# The late one hands in when the work of the early one is on the branch of the run.
if test "$PATCHBAY_ROLE$PATCHBAY_ATTEMPT" = late1; then
  for i in $(seq 1 300); do
    git show "patchbay/$PATCHBAY_RUN_ID:src/a.txt" 2> /dev/null | grep -q early && break
    sleep 0.1
  done
fi
if test "$PATCHBAY_ROLE$PATCHBAY_ATTEMPT" = late2; then
  grep -q "collides with the work of others in src/a.txt" "$PATCHBAY_BUNDLE/turn.json" || exit 9
  grep -q early src/a.txt || { echo "what others did is not there" >&2; exit 8; }
  echo late >> src/a.txt
else
  echo "$PATCHBAY_ROLE" > src/a.txt
fi
echo "{\"summary\": \"$PATCHBAY_ROLE is done\"}" > "$PATCHBAY_RESULT"
