#!/bin/sh
# Speaks RTF1: a plan, two tool calls of which one fails, usage, assistant text with the marker. Does the work of $AGENT_PLAN.
cat >/dev/null
say() { printf '@@RALPH@@ %s\n' "$1"; }
say '{"type":"meta","meta":{"kind":"session","id":"rtf1-session"}}'
say '{"type":"text","tag":"THINK","text":"Plan: look at the file, change it, run the test"}'
say '{"type":"tool_start","tool":{"id":"t1","name":"shell","input":{"cmd":"rg -n todo"}}}'
say '{"type":"tool_output","tool":{"id":"t1"},"text":"notes.txt:1:todo"}'
say '{"type":"tool_end","tool":{"id":"t1","status":"ok","duration_ms":218}}'
say '{"type":"tool_start","tool":{"id":"t2","name":"shell","input":{"cmd":"false"}}}'
say '{"type":"tool_end","tool":{"id":"t2","status":"fail","duration_ms":3}}'
[ -n "$AGENT_PLAN" ] && cp -R "$AGENT_PLAN/." .
say '{"type":"usage","usage":{"prompt_tokens":1234,"completion_tokens":567,"total_tokens":1801,"model":"sample"}}'
say '{"type":"text","tag":"AI","text":"The work is done."}'
say '{"type":"text","tag":"AI","text":"<promise>COMPLETE</promise>"}'
