#!/bin/sh
. ./day.sh
case $PATCHBAY_ROLE-$PATCHBAY_ATTEMPT in
prime-*) story ;;
forge-1) echo '{"summary": "Built"}' | result ;;
forge-2)
  told turn.json "report: is missing"
  handoff ;;
forge-3)
  told turn.json '"hold_reason": "pages begin with 0"'
  told gate.json '"gate_decision": "HOLD"'
  handoff ;;
gate-*)
  if grep -q 3 src/b.txt; then judged "Met" PASS SHIP ""; else judged "Not met" FAIL HOLD "pages begin with 0"; fi ;;
sentinel-* | conduit-*) found "Nothing found" "" SHIP ;;
scribe-*) recorded ;;
esac
