#!/bin/sh
mkdir -p docs
case $PATCHBAY_GOAL in
rename) mv src/main.txt docs/main.txt ;;
*) if test "$PATCHBAY_PHASE" = documents; then echo how > docs/how.md; else echo code > src/a.txt; fi ;;
esac
echo "{\"summary\": \"Wrote $PATCHBAY_PHASE\", \"cost\": {\"input_tokens\": 1, \"output_tokens\": 1, \"usd\": 0.25}}" > "$PATCHBAY_RESULT"
