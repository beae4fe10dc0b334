#!/bin/sh
. ./day.sh
case $PATCHBAY_ROLE-$PATCHBAY_ATTEMPT in
prime-*) story ;;
forge-2)
  told turn.json "no timeout"
  handoff ;;
forge-*) handoff ;;
gate-*) judged "Met" PASS SHIP "" ;;
sentinel-*) found "Two concerns" '"timeouts: src/b.txt:1: no timeout", "links: src/a.txt:1: stale"' ADVISORY ;;
conduit-*) found "Nothing found" "" SHIP ;;
scribe-*) recorded ;;
esac
