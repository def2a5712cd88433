"""What Ralph wants to know.

Each question comes twice with one id: as a gate, for programs, and as a request, for a screen. The first answer counts. Where
this program has nobody to ask, the answer is no.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Union

Frame = Dict[str, Any]

#: True, False, or one of ``yes``, ``session``, ``always``, ``no``, ``never`` where the gate offers it.
Approval = Union[bool, str, None]


@dataclass(frozen=True)
class GateOption:
    value: Any
    label: str


@dataclass(frozen=True)
class WorkflowGate:
    """The work waits for an answer that fits ``schema``. ``over`` is set when nobody waits any more."""

    gate_id: str
    stage: str
    kind: str
    schema: Dict[str, Any]
    schema_hash: str
    options: List[GateOption]
    context: Dict[str, Any]
    created_at: str
    over: threading.Event

    @property
    def is_permission(self) -> bool:
        return self.kind == "approval" and self.stage in ("confirm", "select")


class GateAnswers:
    """Asks the callbacks, each question on a thread of its own, and sends what they say.

    A callback may give None to leave the answer to somebody else: another callback, or ``respond_gate`` later.
    """

    def __init__(
        self,
        respond: Callable[[str, Any], Dict[str, Any]],
        send: Callable[[Frame], Optional[str]],
        on_problem: Callable[[Exception], None],
    ) -> None:
        self._respond = respond
        self._send = send
        self._on_problem = on_problem
        self._open: Dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self.on_gate: Optional[Callable[[WorkflowGate], Any]] = None
        self.on_approval: Optional[Callable[[WorkflowGate], Approval]] = None
        self.on_ui_request: Optional[Callable[[Frame], Optional[Frame]]] = None

    def take_gate(self, frame: Frame) -> None:
        gate = _gate(frame, self._opened(frame["gate_id"]))
        callback = self.on_approval if gate.is_permission and self.on_approval is not None else self.on_gate
        if callback is not None:
            self._start(gate.gate_id, lambda: self._answer_gate(gate, callback))
        elif self.on_ui_request is None:
            self._decline(gate.gate_id)

    def take_ui_request(self, frame: Frame) -> None:
        method, request_id, callback = frame["method"], frame["id"], self.on_ui_request
        if method == "cancel":
            self.over(frame["targetId"])
        elif callback is not None:
            self._start(request_id, lambda: self._answer_request(frame, callback))

    def refused(self, request_id: str, problem: Exception) -> None:
        """An answer of the screen that Ralph did not take: the question must not be left open."""
        self._on_problem(problem)
        self._decline(request_id)

    def over(self, gate_id: str) -> None:
        """The question is over: answered, or taken back."""
        with self._lock:
            over = self._open.pop(gate_id, None)
        if over is not None:
            over.set()

    def over_all(self) -> None:
        for gate_id in list(self._open):
            self.over(gate_id)

    def _opened(self, gate_id: str) -> threading.Event:
        with self._lock:
            return self._open.setdefault(gate_id, threading.Event())

    def _answer_gate(self, gate: WorkflowGate, callback: Callable[[WorkflowGate], Any]) -> None:
        said = callback(gate)
        answer = _permission_answer(gate.schema, said) if gate.is_permission else said
        if answer is None or gate.over.is_set():
            return
        resolution = self._respond(gate.gate_id, answer)
        if resolution.get("status") == "rejected":
            mistakes = (f"{each['path']} {each['message']}" for each in resolution.get("error", {}).get("errors", []))
            raise ValueError(f"The answer to {gate.gate_id} does not fit: {'; '.join(mistakes)}")

    def _answer_request(self, frame: Frame, callback: Callable[[Frame], Optional[Frame]]) -> None:
        wants_answer = frame["method"] != "setTitle"
        over = self._opened(frame["id"]) if wants_answer else threading.Event()
        response = callback(frame)
        if response is None or not wants_answer or over.is_set():
            return
        problem = self._send({"type": "extension_ui_response", "id": frame["id"], **response})
        if problem is not None:
            raise ValueError(problem)
        self.over(frame["id"])

    def _start(self, gate_id: str, answer: Callable[[], None]) -> None:
        threading.Thread(target=self._guard, args=(gate_id, answer), name=f"ralph-rpc-{gate_id}", daemon=True).start()

    def _guard(self, gate_id: str, answer: Callable[[], None]) -> None:
        """A callback that fails must not leave the work waiting: somebody else may still answer, otherwise it is a no."""
        try:
            answer()
        except Exception as error:
            self._on_problem(error)
            if gate_id in self._open and self.on_ui_request is None:
                self._decline(gate_id)

    def _decline(self, gate_id: str) -> None:
        self._send({"type": "extension_ui_response", "id": gate_id, "cancelled": True})
        self.over(gate_id)


def _gate(frame: Frame, over: threading.Event) -> WorkflowGate:
    return WorkflowGate(
        gate_id=frame["gate_id"],
        stage=frame["stage"],
        kind=frame["kind"],
        schema=frame["schema"],
        schema_hash=frame["schema_hash"],
        options=[_option(option) for option in frame.get("options", [])],
        context=frame["context"],
        created_at=frame["created_at"],
        over=over,
    )


def _option(option: Any) -> GateOption:
    if isinstance(option, dict) and "value" in option:
        return GateOption(option["value"], str(option.get("label", option["value"])))
    return GateOption(option, str(option))


_YES = ("yes", "session", "always", "approve")
_PLAN_WORDS = ("approve", "reject")


def _permission_answer(schema: Dict[str, Any], said: Any) -> Any:
    """A permission takes true and false, or one of its words; a decision on a plan is understood for it as well."""
    decision = said.get("decision") if isinstance(said, dict) else said
    if not isinstance(decision, (bool, str)):
        return said
    is_yes = decision if isinstance(decision, bool) else decision in _YES
    if schema.get("type") == "boolean":
        return is_yes
    if isinstance(decision, bool) or decision in _PLAN_WORDS:
        return "yes" if is_yes else "no"
    return decision
