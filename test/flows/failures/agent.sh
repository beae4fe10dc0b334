#!/bin/sh
# Every attempt fails in another way, and says whether it was told how the one before did.
says() { grep -q "$1" "$PATCHBAY_BUNDLE/turn.json" || { echo "was not told: $1" >&2; exit 99; }; }
result() { cat > "$PATCHBAY_RESULT"; }
case $PATCHBAY_ATTEMPT in
1) echo "out of ideas" >&2; exit 3 ;;
2) says "out of ideas"; kill -9 $$ ;;
3) says "ended by SIGKILL"; exit 0 ;;
4) says "there is no result"; echo 'I am done!' | result ;;
5) says "not JSON"; printf '{"summary": "Half a res' | result ;;
6) says "not JSON"; echo '{"summary": "Mine", "turn_id": "another.turn", "run_id": "another"}' | result ;;
7) says "of another turn"; echo '{"summary": 7, "decisions": [{"id": "x"}]}' | result ;;
8) says "result summary"; { printf '{"summary": "'; head -c 104857600 /dev/zero | tr '\0' x; printf '"}'; } | result ;;
9) says "104857615 bytes"; echo '{"summary": "It is all good", "verification": {"status": "pass", "commands": [], "machine_evidence": []}}' | result ;;
10) says "test -f src/good.txt exited with 1"; touch src/good.txt; echo '{"summary": "I cannot go on", "status": "blocked"}' | result ;;
11) says "blocked"; mkdir "$PATCHBAY_RESULT" ;;
12) mkfifo "$PATCHBAY_RESULT" ;;
13) ln -s /etc/hostname "$PATCHBAY_RESULT" ;;
14) echo '[]' | result ;;
15) echo '{"summary": "At last"}' | result ;;
esac
