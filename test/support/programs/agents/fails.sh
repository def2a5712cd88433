#!/bin/sh
# Fails: says why on standard error and ends with $AGENT_EXIT (1).
cat >/dev/null
echo "I begin."
echo "the model could not be reached" >&2
exit "${AGENT_EXIT:-1}"
