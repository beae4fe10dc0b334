#!/bin/sh
touch "${PATCHBAY_BUNDLE%/.patchbay/*}/sources/working"
exec sleep 600
