#!/bin/sh
# Hangs without a word, until it is ended. With $AGENT_READY it makes that file when it has begun to hang.
[ -n "$AGENT_READY" ] && : >"$AGENT_READY"
exec sleep 3600
