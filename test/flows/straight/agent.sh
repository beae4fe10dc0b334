#!/bin/sh
case $PATCHBAY_ROLE in
planner)
  echo "Goal: $PATCHBAY_GOAL" > PLAN.md
  cat > "$PATCHBAY_RESULT" <<END
{"summary": "A plan", "decisions": [{"id": "DEC-1", "category": "design", "statement": "Count from one", "rationale": "People do"}],
 "objections": [{"id": "OBJ-1", "severity": "low", "statement": "Nobody asked the users"}]}
END
  ;;
developer)
  grep -q "Count from one" "$PATCHBAY_BUNDLE/decisions.json" || exit 9
  grep -q "Goal: Make it work" PLAN.md || exit 8
  echo done > src/a.txt
  # What it says it changed and verified is not believed.
  echo '{"summary": "Built", "files_changed": ["everything"], "verification": {"status": "pass", "commands": ["none"], "machine_evidence": []}, "cost": {"input_tokens": 10, "output_tokens": 5, "usd": 0.25}}' > "$PATCHBAY_RESULT"
  ;;
esac
