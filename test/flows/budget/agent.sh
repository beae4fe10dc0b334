#!/bin/sh
echo "{\"summary\": \"Spent\", \"cost\": {\"input_tokens\": 1, \"output_tokens\": 1, \"usd\": 1}}" > "$PATCHBAY_RESULT"
