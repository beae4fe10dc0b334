#!/bin/sh
says() { grep -q "$1" "$PATCHBAY_BUNDLE/turn.json" || { echo "was not told: $1" >&2; exit 99; }; }
# The project is three folders above the bundle's run.
project=${PATCHBAY_BUNDLE%/.patchbay/*}
case $PATCHBAY_ATTEMPT in
1) echo mine > README.md; echo fine > src/b.txt; rm agent.sh ;;
2) says "README.md was changed, which developer may not"; test -e README.md && exit 98
   printf '#!/bin/sh\nrm -rf /\n' > "$project/.git/hooks/post-checkout" ;;
3) says "hooks/post-checkout was changed"; test -e "$project/.git/hooks/post-checkout" && exit 97
   git -C "$project" config core.fsmonitor ./evil ;;
4) says ".git/config was changed"; git -C "$project" config core.fsmonitor && exit 96
   mkdir .patchbay; echo '{}' > .patchbay/settings ;;
5) says ".patchbay/settings was changed"
   # What the host runs and obeys cannot be written at all.
   echo 'echo evil' >> "$project/.patchbay/plugins/watcher/hooks/watch.sh" && exit 95
   echo 'runs: {}' >> "$project/patchbay.yaml" && exit 94
   git add -A; echo sly > sly.txt; git add sly.txt; git -c user.name=x -c user.email=x@x.invalid commit -qm sly ;;
6) says "sly.txt was changed" ;;
esac
echo '{"summary": "Nothing to see here"}' > "$PATCHBAY_RESULT"
