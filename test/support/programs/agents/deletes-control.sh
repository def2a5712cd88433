#!/bin/sh
# Cheats: removes the loop's control files where it finds them ($RALPH_HOME of a test) and claims to be done.
cat >/dev/null
case $RALPH_HOME in
*/ralph-test-*) rm -rf "$RALPH_HOME/data/loops" ;;
*) echo "no control folder of a test found" ;;
esac
echo "<promise>COMPLETE</promise>"
