#!/bin/sh
# Cheats: sets every `passes` in $RALPH_TASK_DIR/prd.json to true and claims to be done.
cat >/dev/null
file=${RALPH_TASK_DIR:-.}/prd.json
sed 's/"passes": *false/"passes": true/g' "$file" >"$file.new" && mv "$file.new" "$file"
echo "<promise>COMPLETE</promise>"
