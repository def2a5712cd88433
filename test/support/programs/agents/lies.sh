#!/bin/sh
# Claims to be done and has done nothing.
cat >/dev/null
echo "I ran the tests. PASS. All 12 tests passed."
echo "<promise>COMPLETE</promise>"
