#!/bin/sh
# Does the work of $AGENT_PLAN, says in $RALPH_SIGNAL_FILE that it is idle, and stays open.
cat >/dev/null
[ -n "$AGENT_PLAN" ] && cp -R "$AGENT_PLAN/." .
echo "<promise>COMPLETE</promise>"
printf '{"event":"idle","timestamp":"2026-01-01T00:00:00Z",' >"$RALPH_SIGNAL_FILE"
printf '"session_id":"open-session"}' >>"$RALPH_SIGNAL_FILE"
exec sleep 3600
