#!/bin/sh
echo "# Plan" > PLAN.md
echo '{"summary": "A plan", "objections": [{"id": "OBJ-1", "severity": "high", "statement": "It cannot work"}]}' > "$PATCHBAY_RESULT"
