#!/bin/sh
echo plan > PLAN.md
echo "{\"summary\": \"A plan\"}" > "$PATCHBAY_RESULT"
