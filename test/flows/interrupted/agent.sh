#!/bin/sh
# Works until it is let go; by its goal it hands its result in before or after that.
sources=${PATCHBAY_BUNDLE%/.patchbay/*}/sources
mkdir -p "$sources"
echo "$PATCHBAY_TURN_ID#$PATCHBAY_ATTEMPT" >> "$sources/calls"
result() { echo '{"summary": "Done"}' > "$PATCHBAY_RESULT"; }
test "$PATCHBAY_GOAL" = "Hand in first" && result
touch "$sources/working"
for i in $(seq 1 300); do test -e "$sources/go" && break; sleep 0.1; done
result
