"""The client: one Ralph, driven by this program."""

from __future__ import annotations

import json
import logging
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Type
from weakref import WeakSet

from .commands import Commands
from .errors import ProcessExited, RpcError, error_of
from .events import Event, EventQueue
from .gates import Approval, GateAnswers, WorkflowGate
from .host import HostCalls, HostTool, UriScheme
from .lines import outgoing_line
from .process import RalphProcess
from .prompts import PromptWork, PromptWorks

Frame = Dict[str, Any]

#: As many commands may wait for their answers; Ralph itself takes fewer.
MAX_PENDING = 1000

_GONE = "Ralph has been stopped."
_log = logging.getLogger("ralph_rpc")


class RpcClient(Commands):
    """Starts ``ralph --mode rpc`` and talks to it.

    ``executable`` and ``args`` come in front of ``--mode rpc``: what is needed to be Ralph, and flags of Ralph. ``env`` is the whole
    environment of the process; without it, it has that of this one. ``session`` goes on with a session, by its id or file.

    Callbacks, host tools and gates run on threads of their own and may call the client. Every method may be called from any thread.
    """

    def __init__(
        self,
        executable: str = "ralph",
        args: Sequence[str] = (),
        *,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        session: Optional[str] = None,
        tools: Sequence[HostTool] = (),
        uri_schemes: Sequence[UriScheme] = (),
        start_timeout: float = 30.0,
        stop_timeout: float = 10.0,
    ) -> None:
        self._command = [executable, *args, "--mode", "rpc"]
        self._cwd = cwd
        self._env = env
        self._session = session
        self._first_tools = list(tools)
        self._first_schemes = list(uri_schemes)
        self._start_timeout = start_timeout
        self._stop_timeout = stop_timeout
        self._process: Optional[RalphProcess] = None
        self._ending: Optional[ProcessExited] = None
        self._ready: "Future[None]" = Future()
        self._requests = 0
        self._pending: Dict[str, Tuple[str, "Future[Any]", Optional[PromptWork]]] = {}
        self._acknowledged: Dict[str, PromptWork] = {}
        self._lock = threading.RLock()
        # Whoever drops its iterator listens no more.
        self._listeners: "WeakSet[EventQueue]" = WeakSet()
        self._event_callbacks: List[Callable[[Event], None]] = []
        self._problem_callback: Callable[[Exception], None] = lambda problem: _log.warning("%s", problem)
        self._works = PromptWorks(self._is_idle)
        self._calls = HostCalls(self._send)
        self._answers = GateAnswers(self.respond_gate, self._send, lambda problem: self._problem_callback(problem))

    # Starting and ending

    def start(self) -> "RpcClient":
        """Returns when Ralph is ready, has the session that was named, and knows the tools."""
        if self._process is not None:
            raise RuntimeError("This client has been started already. Make another one.")
        self._process = RalphProcess(
            self._command, cwd=self._cwd, env=self._env, on_line=self._read, on_end=self._ended
        )
        if self._event_callbacks:
            threading.Thread(target=self._tell, args=(self.events(),), name="ralph-rpc-events", daemon=True).start()
        try:
            self._when_ready()
            if self._session is not None:
                self.switch_session(self._session)
            if self._first_tools:
                self.set_host_tools(self._first_tools)
            if self._first_schemes:
                self.set_host_uri_schemes(self._first_schemes)
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Closes standard input and waits for the end; a Ralph that stays is ended."""
        if self._process is not None:
            self._process.stop(self._stop_timeout)

    def __enter__(self) -> "RpcClient":
        return self.start()

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    @property
    def pid(self) -> Optional[int]:
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> Optional[int]:
        """How the process ended; negative where a signal ended it, None while it works."""
        return None if self._process is None else self._process.exit_code

    # Asking

    def call(
        self, command: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Sends any command and waits for its answer: its data, ``{}`` where there is none.

        Raises RpcError where it is refused, ProcessExited where Ralph ends first, and TimeoutError after ``timeout`` seconds;
        what the command does goes on then.
        """
        return self._request(command, params or {}, None, timeout)

    def prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[Mapping[str, Any]]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
    ) -> PromptWork:
        """Asks. Returns when Ralph has taken the message; a loop over the work gives its events, ``wait()`` its end."""
        return self._ask("prompt", message, images, streaming_behavior, True)

    def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[Sequence[Mapping[str, Any]]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
        timeout: Optional[float] = None,
    ) -> Event:
        """Asks and waits for the end of the work, the ``agent_end`` event."""
        return self._ask("prompt", message, images, streaming_behavior, False).wait(timeout)

    def abort_and_prompt(self, message: str, *, images: Optional[Sequence[Mapping[str, Any]]] = None) -> PromptWork:
        """Stops what is worked on and asks."""
        return self._ask("abort_and_prompt", message, images, None, True)

    def set_host_tools(self, tools: Sequence[HostTool], *, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Tools with their functions, in place of those given before."""
        return self.call("set_host_tools", {"tools": self._calls.use_tools(tools)}, timeout=timeout)

    def set_host_uri_schemes(self, schemes: Sequence[UriScheme], *, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Schemes of addresses with what is behind them, in place of those given before."""
        return self.call("set_host_uri_schemes", {"schemes": self._calls.use_schemes(schemes)}, timeout=timeout)

    def respond_gate(self, gate_id: str, answer: Any, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Answers a gate. The result tells whether the answer fits; where it does not, the gate stays open."""
        return self.workflow_gate_response(gate_id, answer, idempotency_key=idempotency_key)

    # Listening

    def events(self) -> Iterator[Event]:
        """Every event from now on, until Ralph ends."""
        queue = EventQueue()
        with self._lock:
            self._listeners.add(queue)
            if self._ending is not None:
                queue.end()
        return queue

    def on_event(self, callback: Callable[[Event], None]) -> Callable[[Event], None]:
        """Called with every event, in their order. Before ``start``."""
        if self._process is not None:
            raise RuntimeError("on_event comes before start; afterwards iterate over events().")
        self._event_callbacks.append(callback)
        return callback

    def on_gate(self, callback: Callable[[WorkflowGate], Any]) -> Callable[[WorkflowGate], Any]:
        """Answers questions and plans; permissions too where there is no ``on_approval``."""
        self._answers.on_gate = callback
        return callback

    def on_approval(self, callback: Callable[[WorkflowGate], Approval]) -> Callable[[WorkflowGate], Approval]:
        """Answers permissions."""
        self._answers.on_approval = callback
        return callback

    def run_workflow_gate_policy(self, resolver: Callable[[WorkflowGate], Any]) -> None:
        """Every gate, permissions as well, is answered by the resolver."""
        self._answers.on_approval = None
        self._answers.on_gate = resolver

    def on_ui_request(self, callback: Callable[[Frame], Optional[Frame]]) -> Callable[[Frame], Optional[Frame]]:
        """Shows a question to a person; gives ``{"value": …}``, ``{"confirmed": …}`` or ``{"cancelled": True}``."""
        self._answers.on_ui_request = callback
        return callback

    def on_problem(self, callback: Callable[[Exception], None]) -> Callable[[Exception], None]:
        """What went wrong where nobody waits: a callback that failed, an answer that does not fit. Logged where there is none."""
        self._problem_callback = callback
        return callback

    # Within

    def _when_ready(self) -> None:
        try:
            self._ready.result(self._start_timeout)
        except FutureTimeout:
            raise RpcError("not_ready", f"Ralph was not ready within {self._start_timeout} seconds.") from None

    def _ask(
        self,
        command: str,
        message: str,
        images: Optional[Sequence[Mapping[str, Any]]],
        streaming_behavior: Optional[str],
        keeps_events: bool,
    ) -> PromptWork:
        work = PromptWork(message, streaming_behavior is not None, keeps_events)
        params: Frame = {"message": message}
        if images is not None:
            params["images"] = list(images)
        if streaming_behavior is not None:
            params["streamingBehavior"] = streaming_behavior
        self._works.add(work)
        try:
            self._request(command, params, work, None)
        except Exception as error:
            self._works.settle(work, error)
            raise
        return work

    def _request(
        self, command: str, params: Mapping[str, Any], work: Optional[PromptWork], timeout: Optional[float]
    ) -> Any:
        answer: "Future[Any]" = Future()
        with self._lock:
            if self._process is None:
                raise RuntimeError("The client has not been started.")
            if self._ending is not None:
                raise self._ending
            if len(self._pending) >= MAX_PENDING:
                raise RpcError("too_many_commands", f"{MAX_PENDING} commands wait for their answers already.")
            self._requests += 1
            request_id = f"req_{self._requests}"
            self._pending[request_id] = (command, answer, work)
        problem = self._send({"id": request_id, "type": command, **params})
        try:
            # A process that has gone is told to everything that waits, this command included.
            if problem is not None and problem is not _GONE:
                raise RpcError("not_sent", f"{command} was not sent. {problem}")
            return answer.result(timeout)
        except FutureTimeout:
            raise TimeoutError(f"{command} was not answered within {timeout} seconds.") from None
        finally:
            with self._lock:
                self._pending.pop(request_id, None)

    def _send(self, frame: Frame) -> Optional[str]:
        """Why the frame cannot be sent; None where it was."""
        line = outgoing_line(frame)
        if isinstance(line, str):
            return line
        if self._process is None or not self._process.write(line):
            return _GONE
        return None

    def _read(self, line: bytes) -> None:
        try:
            frame = json.loads(line)
            kind = frame["type"]
        except (ValueError, TypeError, KeyError):
            shown = line[:200].decode("utf-8", "replace").rstrip()
            if self._process is not None:
                self._process.fail(f'This is not what "ralph --mode rpc" sends: {shown}')
            return
        try:
            self._take(kind, frame, len(line))
        except Exception:
            _log.exception("A frame could not be taken")

    def _take(self, kind: str, frame: Frame, characters: int) -> None:
        if kind == "response":
            self._take_response(frame)
        elif kind == "event":
            self._take_event(frame["payload"]["event"], characters)
        elif kind == "ready":
            if not self._ready.done():
                self._ready.set_result(None)
        elif kind == "workflow_gate":
            self._answers.take_gate(frame)
        elif kind == "extension_ui_request":
            self._answers.take_ui_request(frame)
        elif kind == "host_tool_call":
            self._calls.run_tool(frame)
        elif kind == "host_uri_request":
            self._calls.run_uri(frame)
        elif kind in ("host_tool_cancel", "host_uri_cancel"):
            self._calls.cancel(frame["targetId"])
        elif kind == "extension_error":
            self._problem_callback(RuntimeError(f"{frame['extensionPath']} failed at {frame['event']}: {frame['error']}"))

    def _take_event(self, event: Event, characters: int) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for queue in listeners:
            queue.push(event, characters)
        self._works.note(event, characters)

    def _take_response(self, response: Frame) -> None:
        command, request_id = response["command"], response.get("id")
        with self._lock:
            if request_id is None:
                request_id = next((name for name, (asked, _, _) in self._pending.items() if asked == command), "")
            _, answer, work = self._pending.pop(request_id, ("", None, None))
            late = self._acknowledged.pop(request_id, None)
            if response["success"] and work is not None:
                self._acknowledged = {name: each for name, each in self._acknowledged.items() if not each.is_done}
                self._acknowledged[request_id] = work
                work.is_acknowledged = True
        if response["success"]:
            if answer is not None:
                answer.set_result(response.get("data", {}))
            return
        error = error_of(response["error"])
        if answer is not None:
            answer.set_exception(error)
        elif late is not None:
            self._works.settle(late, error)
        elif "id" not in response:
            self._refused(command, error)

    def _refused(self, command: str, error: RpcError) -> None:
        target = error.data.get("target")
        if command == "extension_ui_response" and isinstance(target, str):
            self._answers.refused(target, error)
        else:
            self._problem_callback(error)

    def _tell(self, events: Iterator[Event]) -> None:
        try:
            for event in events:
                for callback in self._event_callbacks:
                    try:
                        callback(event)
                    except Exception as error:
                        self._problem_callback(error)
        except Exception as error:  # Ralph ended badly, or the callbacks fell behind
            if not isinstance(error, ProcessExited):
                self._problem_callback(error)

    def _is_idle(self) -> bool:
        try:
            state = self.get_state()
        except (RpcError, ProcessExited):
            return False
        return not state["isStreaming"] and state["queuedMessageCount"] == 0

    def _ended(self, reason: ProcessExited) -> None:
        with self._lock:
            self._ending = reason
            waiting = [answer for _, answer, _ in self._pending.values()]
            self._pending.clear()
            self._acknowledged.clear()
            listeners = list(self._listeners)
        if not self._ready.done():
            self._ready.set_exception(reason)
        for answer in waiting:
            answer.set_exception(reason)
        self._calls.cancel_all()
        self._answers.over_all()
        self._works.fail_all(reason)
        for queue in listeners:
            queue.end(None if reason.exit_code == 0 else reason)
