#!/bin/sh
. ./day.sh
case $PATCHBAY_ROLE in
prime) story ;;
forge) handoff ;;
gate) judged "Not met" FAIL HOLD "pages begin with 0" ;;
esac
