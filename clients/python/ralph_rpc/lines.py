"""Lines that Ralph takes."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Union

MAX_SENT_BYTES = 8 * 1024 * 1024
MAX_LEVELS = 64


def outgoing_line(frame: Dict[str, Any]) -> Union[bytes, str]:
    """The frame as its line, or why it cannot be sent: Ralph could only refuse it without saying which line it was."""
    try:
        text = json.dumps(frame, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        return f"It is no JSON: {error}"
    line = text.encode("utf-8", "replace")
    if len(line) > MAX_SENT_BYTES:
        return f"It has {len(line)} bytes; Ralph takes {MAX_SENT_BYTES} in one line."
    return _fault(frame, MAX_LEVELS) or line


def _fault(value: Any, levels: int) -> Optional[str]:
    if not isinstance(value, (dict, list, tuple)):
        return None
    if levels == 0:
        return f"It has more than {MAX_LEVELS} levels."
    if isinstance(value, dict):
        if "__proto__" in value or (isinstance(value.get("constructor"), dict) and "prototype" in value["constructor"]):
            return "A key that reaches for a prototype is not allowed."
        value = list(value.values())
    return next((fault for fault in (_fault(each, levels - 1) for each in value) if fault is not None), None)
