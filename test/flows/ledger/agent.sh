#!/bin/sh
state=${PATCHBAY_BUNDLE%/.patchbay/*}/.patchbay
rm "$state/ledger.db" && exit 98
mv "$state" "$state.away" && exit 98
echo junk > "$state/ledger.db" && exit 98
mount -o remount,rw,bind "$state/ledger.db" && exit 98
umount "$state/ledger.db" && exit 98
umount "$state" && exit 98
echo junk > "$state/junk" && exit 98
mkdir "$state/plugins" && exit 98
rm -rf "$state"/runs/*/git "$state"/runs/*/kept && exit 98
mkdir "$state/runs/another" && exit 98
for kept in "$state"/runs/*/kept/*/before.json; do echo '{}' > "$kept" && exit 98; done
echo '{"summary": "Nothing to see here"}' > "$PATCHBAY_RESULT"
