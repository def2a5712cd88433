#!/bin/sh
# Ends at once with 0 and leaves a daemon behind that ignores SIGTERM and holds both streams open. Its pid goes to $AGENT_PIDS.
cat >/dev/null
daemon='trap "" TERM HUP INT; echo $$ >"${AGENT_PIDS:-/dev/null}"; echo "daemon ready"; while :; do sleep 1; done'
if command -v setsid >/dev/null; then setsid sh -c "$daemon" & else sh -c "$daemon" & fi
while [ -n "$AGENT_PIDS" ] && [ ! -s "$AGENT_PIDS" ]; do sleep 0.01; done
echo "I am done."
