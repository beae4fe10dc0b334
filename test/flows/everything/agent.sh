#!/bin/sh
# A run in which everything happens: a turn fails, the next attempt is rejected, the third is good.
result() { cat > "$PATCHBAY_RESULT"; }
case $PATCHBAY_ROLE-$PATCHBAY_ATTEMPT in
planner-*)
  echo plan > PLAN.md
  result <<END
{"summary": "A plan", "decisions": [{"id": "DEC-1", "category": "design", "statement": "Count from one", "rationale": "People do"}]}
END
  ;;
developer-1) echo "out of ideas" >&2; exit 3 ;;
developer-2)
  echo tested badly > src/a.txt
  echo '{"summary": "A first go", "cost": {"input_tokens": 100, "output_tokens": 50, "usd": 0.5}}' | result ;;
developer-3)
  echo tested well > src/a.txt
  result <<END
{"summary": "A second go", "decisions": [{"id": "DEC-2", "category": "code", "statement": "One file", "rationale": "It is enough"}],
 "objections": [{"id": "OBJ-2", "severity": "low", "statement": "It may be slow"}], "proposed_next_role": "reviewer", "artifact": "src/a.txt",
 "cost": {"input_tokens": 100, "output_tokens": 50, "usd": 0.25}}
END
  ;;
reviewer-*)
  if grep -q well src/a.txt; then
    echo '{"status": "approved", "summary": "Good"}' | result
  else
    echo '{"status": "rejected", "summary": "Not good enough", "objections": [{"id": "OBJ-1", "severity": "high", "statement": "It is bad"}]}' | result
  fi ;;
esac
