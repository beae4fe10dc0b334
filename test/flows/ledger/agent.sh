#!/bin/sh
says() { grep -q "$1" "$PATCHBAY_BUNDLE/turn.json" || { echo "was not told: $1" >&2; exit 99; }; }
state=${PATCHBAY_BUNDLE%/.patchbay/*}/.patchbay
case $PATCHBAY_ATTEMPT in
1) rm "$state/ledger.db"; echo junk > "$state/ledger.db" ;;
2) says "ledger.db was changed, which developer may not" ;;
esac
echo '{"summary": "Nothing to see here"}' > "$PATCHBAY_RESULT"
