"""One method per command of ``ralph --mode rpc``. Made from its table by scripts/python-commands.ts."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional


class Commands:
    """What a host can ask for. Answers are the ``data`` of the wire; ``{}`` where there is none."""

    def call(
        self, command: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        """Sends any command and waits for its answer."""
        raise NotImplementedError

    def steer(
        self, message: str, *, images: Optional[List[Dict[str, Any]]] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Says something that counts at the next tool boundary. To an agent that is idle it is a prompt."""
        return self.call("steer", {"message": message, **_given({"images": images})}, timeout=timeout)

    def follow_up(
        self, message: str, *, images: Optional[List[Dict[str, Any]]] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Says something for when the agent would stop. To an agent that is idle it is a prompt."""
        return self.call("follow_up", {"message": message, **_given({"images": images})}, timeout=timeout)

    def abort(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Stops the work. Answered when it has stopped."""
        return self.call("abort", {}, timeout=timeout)

    def new_session(
        self, *, parent_session: Optional[str] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """A new session; ``parentSession`` is noted as where it came from."""
        return self.call("new_session", _given({"parentSession": parent_session}), timeout=timeout)

    def get_state(
        self, *, include: Optional[List[Literal["tools", "dumpTools", "systemPrompt"]]] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """The state of the agent. Tools and the system prompt only where ``include`` names them."""
        return self.call("get_state", _given({"include": include}), timeout=timeout)

    def set_todos(
        self, phases: List[Dict[str, Any]], *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Replaces the list of things to do and gives it back as it was kept."""
        return self.call("set_todos", {"phases": phases}, timeout=timeout)

    def workflow_gate_response(
        self, gate_id: str, answer: Any, *, idempotency_key: Optional[str] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Answers a gate. An answer that does not fit its schema is rejected and the gate stays open."""
        return self.call("workflow_gate_response", {"gate_id": gate_id, "answer": answer, **_given({"idempotency_key": idempotency_key})}, timeout=timeout)

    def negotiate_unattended(
        self, *, declaration: Optional[Any] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Declares that nobody watches: what may be spent, which commands are used, which actions are allowed."""
        return self.call("negotiate_unattended", _given({"declaration": declaration}), timeout=timeout)

    def set_model(
        self, provider: str, model_id: str, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Goes on with another model, from the next request."""
        return self.call("set_model", {"provider": provider, "modelId": model_id}, timeout=timeout)

    def cycle_model(
        self, *, timeout: Optional[float] = None
    ) -> Optional[Dict[str, Any]]:
        """Goes on with the next model. The data is null where there is just one."""
        return self.call("cycle_model", {}, timeout=timeout)

    def get_available_models(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Models that can be asked now."""
        return self.call("get_available_models", {}, timeout=timeout)

    def get_login_providers(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Providers one can log in to: with a ``browser``, or with a ``key``. Nothing that is stored is told."""
        return self.call("get_login_providers", {}, timeout=timeout)

    def login(
        self, provider_id: str, *, key: Optional[str] = None, redirect_url: Optional[str] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Logs in and stores it: with ``key``, or with a browser, which the host is asked to open by ``open_url``; then it is answered within 300 seconds, when the person is done. ``redirectUrl`` brings the address a browser on another machine ended on to the login that waits."""
        return self.call("login", {"providerId": provider_id, **_given({"key": key, "redirectUrl": redirect_url})}, timeout=timeout)

    def set_thinking_level(
        self, level: Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"], *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """How hard the model thinks, from the next request, as far as it can."""
        return self.call("set_thinking_level", {"level": level}, timeout=timeout)

    def cycle_thinking_level(
        self, *, timeout: Optional[float] = None
    ) -> Optional[Dict[str, Any]]:
        """The next level the model takes. The data is null where it takes none."""
        return self.call("cycle_thinking_level", {}, timeout=timeout)

    def set_steering_mode(
        self, mode: Literal["all", "one-at-a-time"], *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Whether waiting steering messages are delivered one at a time or all at once."""
        return self.call("set_steering_mode", {"mode": mode}, timeout=timeout)

    def set_follow_up_mode(
        self, mode: Literal["all", "one-at-a-time"], *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Whether waiting follow-ups are delivered one at a time or all at once."""
        return self.call("set_follow_up_mode", {"mode": mode}, timeout=timeout)

    def set_interrupt_mode(
        self, mode: Literal["immediate", "wait"], *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Whether steering drops the rest of a batch of tool calls or waits for it."""
        return self.call("set_interrupt_mode", {"mode": mode}, timeout=timeout)

    def compact(
        self, *, custom_instructions: Optional[str] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Shortens what the model sees of the conversation."""
        return self.call("compact", _given({"customInstructions": custom_instructions}), timeout=timeout)

    def set_auto_compaction(
        self, enabled: bool, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Whether the conversation is shortened by itself when it gets too long."""
        return self.call("set_auto_compaction", {"enabled": enabled}, timeout=timeout)

    def set_auto_retry(
        self, enabled: bool, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Whether a request that failed for a passing reason is tried again."""
        return self.call("set_auto_retry", {"enabled": enabled}, timeout=timeout)

    def abort_retry(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Stops waiting for the next attempt."""
        return self.call("abort_retry", {}, timeout=timeout)

    def bash(
        self, command: str, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Runs a command of the host. The model is told of it with the next prompt."""
        return self.call("bash", {"command": command}, timeout=timeout)

    def abort_bash(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Stops the command of the host that runs."""
        return self.call("abort_bash", {}, timeout=timeout)

    def get_session_stats(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Counts, tokens and cost of the session."""
        return self.call("get_session_stats", {}, timeout=timeout)

    def export_html(
        self, *, output_path: Optional[str] = None, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Writes the session as one page that needs no network."""
        return self.call("export_html", _given({"outputPath": output_path}), timeout=timeout)

    def switch_session(
        self, session_path: str, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Goes on with another session, by its file or its id."""
        return self.call("switch_session", {"sessionPath": session_path}, timeout=timeout)

    def branch(
        self, entry_id: str, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """The next prompt takes the place of this one. Gives its text back."""
        return self.call("branch", {"entryId": entry_id}, timeout=timeout)

    def get_branch_messages(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Prompts that ``branch`` takes, oldest first."""
        return self.call("get_branch_messages", {}, timeout=timeout)

    def get_last_assistant_text(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """The text of the newest answer; null where there is none."""
        return self.call("get_last_assistant_text", {}, timeout=timeout)

    def set_session_name(
        self, name: str, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """Names the session."""
        return self.call("set_session_name", {"name": name}, timeout=timeout)

    def get_messages(
        self, *, timeout: Optional[float] = None
    ) -> Dict[str, Any]:
        """The conversation as the model sees it."""
        return self.call("get_messages", {}, timeout=timeout)


def _given(fields: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
