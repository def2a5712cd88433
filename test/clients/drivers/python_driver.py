"""Takes the steps of a scenario with the Python client: python3 python_driver.py PACKAGES SCENARIO"""

import json
import os
import signal
import sys
import threading

sys.path.insert(0, sys.argv[1])

from ralph_rpc import HostTool, ProcessExited, RpcClient, RpcError  # noqa: E402

with open(sys.argv[2], encoding="utf-8") as file:
    scenario = json.load(file)

remembered = {}
gates = []
cancelled = []


class State:
    client = None
    work = None
    hold = threading.Event()
    released = threading.Event()
    context = None
    result = ""


def lookup(arguments, context):
    context.update("looking")
    return f"row {arguments['key']}"


def hold(_arguments, context):
    State.context = context
    State.hold.set()
    State.released.wait(30)
    return State.result


FUNCTIONS = {"lookup": lookup, "hold": hold}


def approve(gate):
    options = [option.value for option in gate.options]
    gates.append({"kind": gate.kind, "stage": gate.stage, "tool": gate.context["tool"], "options": options})
    return True


def brief(message):
    parts = [part.get("text", part.get("name")) for part in message["content"]]
    kept = {name: message[name] for name in ("role", "toolName", "isError", "stopReason") if name in message}
    return {**kept, "text": "|".join(parts)}


def collect(work):
    types, text = [], ""
    for event in work:
        if types[-1:] != [event["type"]]:
            types.append(event["type"])
        if event["type"] == "message_update" and event["assistantMessageEvent"]["type"] == "text_delta":
            text += event["assistantMessageEvent"]["delta"]
    end = work.wait()
    seen = list(gates)
    gates.clear()
    messages = [brief(message) for message in end["messages"]]
    return {"outcome": end["outcome"], "messages": messages, "text": text, "types": types, "gates": seen}


def start(step):
    session = remembered[step["session"]] if "session" in step else None
    State.client = RpcClient(
        scenario["command"], scenario["args"], cwd=scenario["cwd"], env=scenario["env"], session=session
    )
    State.client.on_approval(approve)
    State.client.start()
    return {}


def call(step):
    answer = State.client.call(step["command"], step.get("params"))
    if "remember" in step:
        remembered[step["remember"]] = answer["sessionId"]
    if step["command"] == "get_messages":
        return {"messages": [brief(message) for message in answer["messages"]]}
    return answer


def set_tools(_step):
    return State.client.set_host_tools([HostTool(**tool, run=FUNCTIONS[tool["name"]]) for tool in scenario["tools"]])


def begin(step):
    State.hold.clear()
    State.released.clear()
    State.work = State.client.prompt(step["message"])
    return {}


def held(_step):
    if not State.hold.wait(30):
        raise TimeoutError("the tool was not called")
    return {}


def release(step):
    State.result = step["result"]
    State.released.set()
    return {}


def abort(_step):
    State.client.abort()
    return {"cancelled": count_cancelled()}


def count_cancelled():
    if State.context.cancelled.wait(30):
        cancelled.append(True)
    State.released.set()
    return len(cancelled)


def stop(_step):
    State.client.close()
    return {"exitCode": State.client.exit_code, "stderr": ""}


def kill(_step):
    os.kill(State.client.pid, signal.SIGKILL)
    State.client.close()
    return {"ended": State.client.exit_code == -signal.SIGKILL, "stderr": "", "cancelled": count_cancelled()}


STEPS = {
    "start": start,
    "call": call,
    "set-tools": set_tools,
    "prompt": lambda step: collect(State.client.prompt(step["message"])),
    "begin": begin,
    "end": lambda _step: collect(State.work),
    "held": held,
    "release": release,
    "steer": lambda step: State.client.steer(step["message"]),
    "abort": abort,
    "stop": stop,
    "kill": kill,
}

transcript = []
for each in scenario["steps"]:
    try:
        transcript.append({"step": each["step"], "result": STEPS[each["step"]](each)})
    except RpcError as error:
        told = {"name": "RpcError", "code": error.code, "data": error.data, "message": error.message}
        transcript.append({"step": each["step"], "error": told})
    except ProcessExited:
        transcript.append({"step": each["step"], "error": {"name": "ProcessExited"}})

json.dump(transcript, sys.stdout)
