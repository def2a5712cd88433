"""Events on their way to whoever iterates."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Deque, Dict, Iterator, Optional, Tuple

Event = Dict[str, Any]

#: With more than this waiting to be taken, pieces that add nothing to what comes later are left out.
MAX_QUEUED_FOR_UPDATES = 16 * 1024 * 1024
#: With more than this waiting, whoever iterates is told that it fell behind.
MAX_QUEUED = 256 * 1024 * 1024
#: What an event costs beside its characters.
EVENT_OVERHEAD = 500

UPDATES = frozenset(["message_update", "tool_execution_update"])


class EventQueue(Iterator[Event]):
    """Events for one loop. Reading from Ralph never waits for it, so a loop may call the client from within."""

    def __init__(self) -> None:
        self._waiting: Deque[Tuple[Event, int]] = deque()
        self._held = 0
        self._left_out = 0
        self._is_over = False
        self._error: Optional[Exception] = None
        self._changed = threading.Condition()

    def push(self, event: Event, characters: int) -> None:
        with self._changed:
            if self._is_over:
                return
            if self._held > MAX_QUEUED_FOR_UPDATES and event.get("type") in UPDATES:
                self._left_out += 1
                return
            if self._left_out > 0:
                self._add(_left_out_notice(self._left_out), 0)
            self._left_out = 0
            self._add(event, characters)
            if self._held > MAX_QUEUED:
                self._end(RuntimeError(f"Events are not taken fast enough: more than {MAX_QUEUED} characters wait."))

    def end(self, error: Optional[Exception] = None) -> None:
        """What waits is still given out."""
        with self._changed:
            self._end(error)

    def __next__(self) -> Event:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._waiting:
                event, size = self._waiting.popleft()
                self._held -= size
                return event
            # Told once; after that the iterator is simply over.
            error, self._error = self._error, None
        if error is not None:
            raise error
        raise StopIteration

    def _add(self, event: Event, characters: int) -> None:
        size = characters + EVENT_OVERHEAD
        self._held += size
        self._waiting.append((event, size))
        self._changed.notify_all()

    def _end(self, error: Optional[Exception]) -> None:
        if not self._is_over:
            self._is_over = True
            self._error = error
            self._changed.notify_all()


def _left_out_notice(count: int) -> Event:
    return {
        "type": "notice",
        "level": "warning",
        "message": f"{count} updates were left out, because more than {MAX_QUEUED_FOR_UPDATES} characters waited "
        "to be taken. What has ended since is complete.",
    }
