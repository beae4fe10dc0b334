#!/bin/sh
# Each attempt costs a dollar and comes to nothing, in another way.
cost='"cost": {"input_tokens": 100, "output_tokens": 10, "usd": 1}'
case $PATCHBAY_ATTEMPT in
1) echo "{\"summary\": \"Not verified\", $cost}" > "$PATCHBAY_RESULT" ;;
2) echo "{\"summary\": 7, $cost}" > "$PATCHBAY_RESULT" ;;
3) echo "{\"summary\": \"Not mine\", $cost}" > "$PATCHBAY_RESULT"; exit 3 ;;
esac
