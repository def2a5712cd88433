#!/bin/sh
# Asks a person ($AGENT_QUESTION) and stops: as an RTF1 event, and as the last line.
cat >/dev/null
question=${AGENT_QUESTION:-Which database should I use?}
printf '@@RALPH@@ {"type":"meta","meta":{"kind":"question","text":"%s"}}\n' "$question"
echo "I cannot go on alone."
echo "<promise>BLOCKED: $question</promise>"
