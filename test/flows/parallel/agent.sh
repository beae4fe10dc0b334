#!/bin/sh
if test "$PATCHBAY_ROLE" = joiner; then
  cat src/writer/x.txt src/tester/x.txt > src/joined.txt || exit 9
else
  mkdir -p "src/$PATCHBAY_ROLE"
  echo "$PATCHBAY_ROLE" > "src/$PATCHBAY_ROLE/x.txt"
fi
echo "{\"summary\": \"$PATCHBAY_ROLE is done\"}" > "$PATCHBAY_RESULT"
