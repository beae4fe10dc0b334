#!/bin/sh
case $PATCHBAY_ROLE-$PATCHBAY_ATTEMPT in
developer-1)
  echo code > src/b.txt
  echo '{"summary": "Written"}' > "$PATCHBAY_RESULT" ;;
developer-*)
  grep -q "OBJ-1: there is no test" "$PATCHBAY_BUNDLE/turn.json" || exit 9
  echo test > src/b.test.txt
  echo '{"summary": "Written and tested"}' > "$PATCHBAY_RESULT" ;;
reviewer-*)
  grep -q "^+code" "$PATCHBAY_BUNDLE/changes.patch" || exit 8
  if test -f src/b.test.txt; then
    echo '{"status": "approved", "summary": "Good"}' > "$PATCHBAY_RESULT"
  else
    echo '{"status": "rejected", "summary": "Not yet", "objections": [{"id": "OBJ-1", "severity": "high", "statement": "there is no test"}]}' > "$PATCHBAY_RESULT"
  fi ;;
esac
