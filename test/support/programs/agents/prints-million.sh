#!/bin/sh
# Prints $AGENT_LINES (1000000) lines and then the marker.
cat >/dev/null
awk -v count="${AGENT_LINES:-1000000}" 'BEGIN { for (i = 1; i <= count; i++) print "line " i " of what the agent did and thought" }'
echo "<promise>COMPLETE</promise>"
