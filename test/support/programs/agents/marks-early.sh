#!/bin/sh
# Prints the marker before it has begun and goes on without one. The work of $AGENT_PLAN is done, as by finishes.sh.
cat >/dev/null
echo "I will print this when I am done:"
echo "<promise>COMPLETE</promise>"
[ -n "$AGENT_PLAN" ] && cp -R "$AGENT_PLAN/." .
echo "Now I look at the files. There is more to do."
