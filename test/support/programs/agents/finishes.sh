#!/bin/sh
# Does the work: copies the files of $AGENT_PLAN/$RALPH_STORY (or of $AGENT_PLAN) over the workspace and ends with the marker.
cat >/dev/null
plan=$AGENT_PLAN
[ -n "$RALPH_STORY" ] && [ -d "$AGENT_PLAN/$RALPH_STORY" ] && plan=$AGENT_PLAN/$RALPH_STORY
[ -n "$plan" ] && cp -R "$plan/." .
echo "The work is done."
echo "<promise>COMPLETE</promise>"
