#!/bin/sh
knows() { grep -qF "$2" "$PATCHBAY_BUNDLE/$1" || { echo "$1 does not tell: $2" >&2; exit 99; }; }
project=${PATCHBAY_BUNDLE%/.patchbay/*}
cost='"cost": {"input_tokens": 1, "output_tokens": 1, "usd": 0.5}'
if test -e "$project/sources/ready"; then
  knows decisions.json "Count from one"
  test "$PATCHBAY_ROLE" = developer && knows objections.json "$(cat "$project/sources/ready")"
fi
case $PATCHBAY_ROLE in
planner)
  echo plan > PLAN.md
  decided='"decisions": [{"id": "DEC-1", "category": "design", "statement": "Count from one", "rationale": "people do"}]'
  objected='"objections": [{"id": "OBJ-1", "severity": "low", "statement": "It may be slow"}]'
  echo "{\"summary\": \"A plan\", $decided, $objected, $cost}" ;;
developer)
  echo code > src/a.txt
  echo "{\"summary\": \"Built\", $cost}" ;;
reviewer)
  if test -e "$project/sources/ready"; then echo '{"summary": "Good", "status": "approved"}'
  else echo '{"summary": "Bad", "status": "rejected", "objections": [{"id": "OBJ-2", "severity": "high", "statement": "It is bad"}]}'
  fi ;;
esac > "$PATCHBAY_RESULT"
