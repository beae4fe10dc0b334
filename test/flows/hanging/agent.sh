#!/bin/sh
case $PATCHBAY_ATTEMPT in
1)
  # Does not go when it is asked to, writes on, and has left somebody behind.
  trap 'echo still here > README.md; echo still here > src/b.txt' TERM
  sh -c 'trap "" TERM; while :; do date > src/alive.txt; sleep 0.1; done' &
  while :; do sleep 0.2; done ;;
2)
  grep -q "took longer than 3 s" "$PATCHBAY_BUNDLE/turn.json" || exit 9
  rm src/alive.txt; sleep 0.3; test -e src/alive.txt && { echo "somebody is still alive" >&2; exit 8; }
  test -e README.md && { echo "the readme is still there" >&2; exit 7; }
  yes flood | head -c 50000000
  yes flood | head -c 50000000 >&2
  echo '{"summary": "Flooded, and done"}' > "$PATCHBAY_RESULT" ;;
esac
