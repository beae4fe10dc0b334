#!/bin/sh
# Plays all roles of a day that goes straight.
result() { cat > "$PATCHBAY_RESULT"; }
case $PATCHBAY_ROLE in
prime)
  test "$(cat "$PATCHBAY_BUNDLE/deferred.json")" = '[]' || exit 9
  result <<END
{"summary": "A card", "report": {"title": "Paging", "story": "Readers see ten items on a page.",
 "acceptance_criteria": ["page 1 begins with item 1"], "deferred": ["pages of any size"]}}
END
  ;;
forge)
  grep -q "page 1 begins" "$PATCHBAY_BUNDLE/story.json" || exit 9
  echo code > src/b.txt
  result <<END
{"summary": "Built", "cost": {"input_tokens": 10, "output_tokens": 1, "usd": 0.25},
 "report": {"summary": "Pages of ten", "files_changed": ["src/b.txt"], "notes": "nothing is left"}}
END
  ;;
gate)
  grep -q "nothing is left" "$PATCHBAY_BUNDLE/handoff.json" || exit 9
  result <<END
{"summary": "All is met", "report": {"criteria_results": [{"criterion": "page 1 begins with item 1", "result": "PASS",
 "evidence": "src/b.txt:1"}], "blockers": [], "deferred": ["pages of any size"], "gate_decision": "SHIP", "hold_reason": ""}}
END
  ;;
sentinel | conduit)
  grep -q SHIP "$PATCHBAY_BUNDLE/gate.json" || exit 9
  result <<END
{"summary": "Nothing found", "report": {"findings": [], "advisories": [], "blockers": [],
 "${PATCHBAY_ROLE}_decision": "SHIP", "hold_reason": ""}}
END
  ;;
scribe)
  echo shipped > CHANGES.md
  echo '{"summary": "Written down"}' | result ;;
esac
