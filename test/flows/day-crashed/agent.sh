#!/bin/sh
. ./day.sh
case $PATCHBAY_ROLE in
prime) story ;;
forge) handoff ;;
gate)
  if grep -q 1 src/b.txt; then
    echo "out of memory" >&2
    exit 3
  fi
  judged "Met" PASS SHIP "" ;;
sentinel)
  # Says one thing and means another.
  if grep -q 2 src/b.txt; then
    result <<END
{"status": "approved", "summary": "Fine", "report": {"findings": [], "advisories": [], "blockers": ["a key"],
 "sentinel_decision": "HOLD", "hold_reason": "a key"}}
END
  else found "Nothing found" "" SHIP; fi ;;
conduit) found "Nothing found" "" SHIP ;;
scribe) recorded ;;
esac
