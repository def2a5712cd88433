#!/bin/sh
# Cheats: writes $AGENT_TEXT ("exit 0") into the file $AGENT_TARGET ("test.sh") the check relies on, and claims to be done.
cat >/dev/null
printf '%s\n' "${AGENT_TEXT:-exit 0}" >"${AGENT_TARGET:-test.sh}"
echo "<promise>COMPLETE</promise>"
