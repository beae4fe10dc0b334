#!/bin/sh
project=${PATCHBAY_BUNDLE%/.patchbay/*}
if test "$PATCHBAY_ROLE" = planner; then
  echo plan > PLAN.md
else
  test -e "$project/sources/ready" || { echo "the server is down" >&2; exit 5; }
  test -e PLAN.md || { echo "there is no plan" >&2; exit 6; }
  cp PLAN.md src/a.txt
fi
echo "{\"summary\": \"$PATCHBAY_ROLE is done\"}" > "$PATCHBAY_RESULT"
