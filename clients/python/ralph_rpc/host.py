"""Tools and addresses of this program, which Ralph calls."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

Frame = Dict[str, Any]

#: A text, or a mapping with ``content`` and, where wanted, ``details`` and ``isError``.
ToolOutput = Union[str, Mapping[str, Any]]
#: A text, or a mapping with ``content`` and, where wanted, ``contentType``, ``notes`` and ``immutable``.
UriContent = Union[str, Mapping[str, Any]]

#: At most this many calls run at a time; more are refused.
MAX_RUNNING = 256


@dataclass(frozen=True)
class CallContext:
    """Of one call: ``cancelled`` is set when nobody waits for it any more."""

    cancelled: threading.Event
    tool_call_id: str
    update: Callable[[ToolOutput], None]


@dataclass(frozen=True)
class HostTool:
    """A tool and its function. What the function raises is told to the model as its failure."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Dict[str, Any], CallContext], ToolOutput]
    label: Optional[str] = None


@dataclass(frozen=True)
class UriScheme:
    """A scheme and what is behind it. It is writable where it has ``write``."""

    scheme: str
    read: Callable[[str, CallContext], UriContent]
    write: Optional[Callable[[str, str, CallContext], None]] = None
    description: Optional[str] = None
    immutable: bool = False


class HostCalls:
    """Runs what Ralph calls, each call on a thread of its own. ``send`` says why a frame cannot be sent."""

    def __init__(self, send: Callable[[Frame], Optional[str]]) -> None:
        self._send = send
        self._tools: Dict[str, HostTool] = {}
        self._schemes: Dict[str, UriScheme] = {}
        self._running: Dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def use_tools(self, tools: Sequence[HostTool]) -> List[Frame]:
        """The tools as Ralph is told of them; their functions are in place before it calls one."""
        self._tools = {tool.name: tool for tool in tools}
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                **({} if tool.label is None else {"label": tool.label}),
            }
            for tool in tools
        ]

    def use_schemes(self, schemes: Sequence[UriScheme]) -> List[Frame]:
        self._schemes = {scheme.scheme.lower(): scheme for scheme in schemes}
        return [
            {
                "scheme": scheme.scheme,
                "writable": scheme.write is not None,
                "immutable": scheme.immutable,
                **({} if scheme.description is None else {"description": scheme.description}),
            }
            for scheme in schemes
        ]

    def run_tool(self, frame: Frame) -> None:
        call_id, name = frame["id"], frame["toolName"]
        tool = self._tools.get(name)

        def update(partial: ToolOutput) -> None:
            if call_id in self._running:
                self._send({"type": "host_tool_update", "id": call_id, "partialResult": _output(partial)["result"]})

        def work(cancelled: threading.Event) -> Frame:
            if tool is None:
                raise LookupError(f"This host has no tool {name}.")
            output = tool.run(frame["arguments"], CallContext(cancelled, frame["toolCallId"], update))
            return {"type": "host_tool_result", "id": call_id, **_output(output)}

        def failed(message: str) -> Frame:
            return {"type": "host_tool_result", "id": call_id, **_output(message), "isError": True}

        self._run(call_id, work, failed)

    def run_uri(self, frame: Frame) -> None:
        call_id, url = frame["id"], frame["url"]
        scheme = self._schemes.get(url.partition(":")[0].lower())

        def work(cancelled: threading.Event) -> Frame:
            context = CallContext(cancelled, call_id, lambda _partial: None)
            if scheme is None:
                raise LookupError(f"This host has nothing at {url}.")
            if frame["operation"] == "read":
                read = scheme.read(url, context)
                return {"type": "host_uri_result", "id": call_id, **({"content": read} if isinstance(read, str) else read)}
            if scheme.write is None:
                raise PermissionError(f"{url} cannot be written.")
            scheme.write(url, frame.get("content", ""), context)
            return {"type": "host_uri_result", "id": call_id}

        def failed(message: str) -> Frame:
            return {"type": "host_uri_result", "id": call_id, "isError": True, "error": message}

        self._run(call_id, work, failed)

    def cancel(self, call_id: str) -> None:
        """Nobody waits for that call any more."""
        with self._lock:
            cancelled = self._running.pop(call_id, None)
        if cancelled is not None:
            cancelled.set()

    def cancel_all(self) -> None:
        for call_id in list(self._running):
            self.cancel(call_id)

    def _run(
        self, call_id: str, work: Callable[[threading.Event], Frame], failed: Callable[[str], Frame]
    ) -> None:
        cancelled = threading.Event()
        with self._lock:
            has_room = len(self._running) < MAX_RUNNING
            if has_room:
                self._running[call_id] = cancelled

        def run() -> None:
            frame = _result(work, failed, cancelled) if has_room else failed(f"This host runs {MAX_RUNNING} calls already.")
            with self._lock:
                is_wanted = self._running.pop(call_id, None) is not None or not has_room
            # A call that was cancelled is not answered.
            problem = self._send(frame) if is_wanted else None
            if problem is not None:
                self._send(failed(f"The result of the host cannot be sent. {problem}"))

        threading.Thread(target=run, name=f"ralph-rpc-{call_id}", daemon=True).start()


def _result(
    work: Callable[[threading.Event], Frame], failed: Callable[[str], Frame], cancelled: threading.Event
) -> Frame:
    try:
        return work(cancelled)
    except Exception as error:  # a tool may fail in any way; the model is told how
        return failed(str(error) or type(error).__name__)


def _output(output: ToolOutput) -> Frame:
    if isinstance(output, str):
        return {"result": {"content": [{"type": "text", "text": output}]}}
    result = {name: value for name, value in output.items() if name != "isError"}
    return {"result": result, **({"isError": output["isError"]} if "isError" in output else {})}
