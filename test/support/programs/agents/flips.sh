#!/bin/sh
# Changes one file ($AGENT_TARGET, "flip.txt") back and forth between two contents and never gets anywhere.
cat >/dev/null
file=${AGENT_TARGET:-flip.txt}
if [ "$(cat "$file" 2>/dev/null)" = one ]; then echo two >"$file"; else echo one >"$file"; fi
echo "I changed it again."
