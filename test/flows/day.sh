# What the agents of days have in common; each is a script of its own beside it.
result() { cat > "$PATCHBAY_RESULT"; }
told() { grep -q "$2" "$PATCHBAY_BUNDLE/$1" || exit 9; }
story() {
  echo '{"summary": "A card", "report": {"title": "Paging", "story": "Pages.", "acceptance_criteria": ["pages"]}}' | result
}
handoff() {
  echo "attempt $PATCHBAY_ATTEMPT" > src/b.txt
  echo '{"summary": "Built", "report": {"summary": "Built", "files_changed": ["src/b.txt"], "notes": ""}}' | result
}
# summary, result of the criterion, decision, reason
judged() {
  result <<END
{"summary": "$1", "report": {"criteria_results": [{"criterion": "pages", "result": "$2", "evidence": "src/b.txt:1"}],
 "blockers": [], "deferred": [], "gate_decision": "$3", "hold_reason": "$4"}}
END
}
# summary, advisories, decision
found() {
  result <<END
{"summary": "$1", "report": {"findings": [], "advisories": [$2], "blockers": [],
 "${PATCHBAY_ROLE}_decision": "$3", "hold_reason": ""}}
END
}
recorded() { echo '{"summary": "Written down"}' | result; }
