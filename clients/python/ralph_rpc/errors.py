"""What can go wrong between a program and Ralph."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union


class RpcError(Exception):
    """Ralph refused a command, or it could not be sent. ``code`` is for programs, ``message`` for people."""

    def __init__(self, code: str, message: str, data: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data: Dict[str, Any] = data or {}


class ProcessExited(Exception):
    """The process has ended, so nothing that waits for it will be answered.

    ``exit_code`` is negative where a signal ended it; ``stderr`` is the last it wrote to standard error.
    """

    def __init__(self, message: str, exit_code: Optional[int], stderr: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stderr = stderr


def error_of(error: Union[str, Dict[str, Any]]) -> RpcError:
    """The error of an answer: words alone, or an object with a code."""
    if isinstance(error, str):
        return RpcError("command_failed", error)
    data = {name: value for name, value in error.items() if name not in ("code", "message")}
    return RpcError(str(error.get("code", "command_failed")), str(error.get("message", "")), data)
