"""Plays the other side of the wire: for every line it reads, the frames that a file has for its type.

The file is JSON: ``{"ready": [frames], "on": {"get_state": [[frames for the first], [for the second], …]}}``. ``"$id"`` stands for the
id of the line. Everything that was read is written to the second file when the input ends.
"""

import json
import os
import sys
import time


def send(frames, line_id):
    for frame in frames:
        if "sleep" in frame:
            time.sleep(frame["sleep"])
        elif "stderr" in frame:
            print(frame["stderr"], file=sys.stderr)
        elif "exit" in frame:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(frame["exit"])
        elif "raw" in frame:
            print(frame["raw"], flush=True)
        elif "long" in frame:
            data = {"text": "y" * frame["long"]}
            print(json.dumps({"type": "response", "id": line_id, "command": "x", "success": True, "data": data}), flush=True)
        else:
            print(json.dumps(frame).replace("$id", str(line_id)), flush=True)


with open(sys.argv[1], encoding="utf-8") as file:
    plan = json.load(file)

read = []
send(plan.get("ready", [{"type": "ready"}]), None)
for text in sys.stdin:
    line = json.loads(text)
    read.append(line)
    left = plan.get("on", {}).get(line["type"], [])
    send(left.pop(0) if left else [], line.get("id"))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(read, file)
