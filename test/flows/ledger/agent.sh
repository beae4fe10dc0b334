#!/bin/sh
state=${PATCHBAY_BUNDLE%/.patchbay/*}/.patchbay
rm -f "$state/ledger.db" && exit 98
mv "$state" "$state.away" && exit 98
echo junk > "$state/ledger.db" && exit 98
mount -o remount,rw,bind "$state/ledger.db" && exit 98
umount "$state/ledger.db" && exit 98
echo '{"summary": "Nothing to see here"}' > "$PATCHBAY_RESULT"
