#!/bin/sh
# Says in RTF1 that its quota is used up until $AGENT_UNTIL and fails. With a file $AGENT_COUNT that only happens $AGENT_TIMES (1)
# times, counted there; afterwards it does the work of $AGENT_PLAN.
cat >/dev/null
count=$(cat "${AGENT_COUNT:-/dev/null}" 2>/dev/null || echo 0)
if [ -z "$AGENT_COUNT" ] || [ "${count:-0}" -lt "${AGENT_TIMES:-1}" ]; then
  [ -n "$AGENT_COUNT" ] && echo $((${count:-0} + 1)) >"$AGENT_COUNT"
  until=${AGENT_UNTIL:+,\"until\":\"$AGENT_UNTIL\"}
  printf '@@RALPH@@ {"type":"meta","meta":{"kind":"quota","message":"the weekly limit is used up"%s}}\n' "$until"
  exit 1
fi
[ -n "$AGENT_PLAN" ] && cp -R "$AGENT_PLAN/." .
printf '@@RALPH@@ {"type":"text","tag":"AI","text":"<promise>COMPLETE</promise>"}\n'
