"""The work on prompts, and which end belongs to which of them."""

from __future__ import annotations

import threading
from typing import Callable, Iterator, List, Optional, Union

from .events import Event, EventQueue


class PromptWork:
    """The work on one prompt: ``wait()`` gives its end, a loop over it its events up to ``agent_end``."""

    def __init__(self, message: str, is_addition: bool, keeps_events: bool) -> None:
        self.message = message
        self.is_addition = is_addition
        self.is_acknowledged = False
        #: Its message is in the conversation.
        self.is_taken = False
        self.queue = EventQueue() if keeps_events else None
        self._done = threading.Event()
        self._outcome: Union[Event, Exception, None] = None

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    def wait(self, timeout: Optional[float] = None) -> Event:
        """The ``agent_end`` event. Raises where the prompt was refused, Ralph ended, or ``timeout`` seconds went by."""
        if not self._done.wait(timeout):
            raise TimeoutError(f"The work has not ended within {timeout} seconds.")
        if isinstance(self._outcome, Exception):
            raise self._outcome
        assert self._outcome is not None
        return self._outcome

    def __iter__(self) -> Iterator[Event]:
        if self.queue is None:
            raise RuntimeError("Nobody keeps the events of this prompt: ask with prompt() to iterate.")
        return self.queue

    def settle(self, outcome: Union[Event, Exception]) -> None:
        """Called by the client, once."""
        self._outcome = outcome
        if self.queue is not None:
            self.queue.end(outcome if isinstance(outcome, Exception) else None)
        self._done.set()


class PromptWorks:
    """Tells which ``agent_end`` belongs to which prompt.

    The wire does not say: a prompt sent behind an abort is acknowledged before the work in front of it has ended. So work
    belongs to the prompts whose messages appear in it.
    """

    def __init__(self, is_idle: Callable[[], bool]) -> None:
        self._is_idle = is_idle
        self._open: List[PromptWork] = []
        self._lock = threading.RLock()
        # Where the message appears in other words, the work is that of the oldest prompt that waited when it began.
        self._first: Optional[PromptWork] = None

    def add(self, work: PromptWork) -> None:
        with self._lock:
            self._open.append(work)

    def note(self, event: Event, characters: int) -> None:
        kind = event.get("type")
        with self._lock:
            for work in self._open:
                if work.queue is not None:
                    work.queue.push(event, characters)
            if kind == "agent_start":
                self._first = self._oldest(lambda work: not work.is_addition)
            elif kind == "message_end" and event["message"]["role"] == "user":
                text = "".join(part.get("text", "") for part in event["message"]["content"])
                taken = self._oldest(lambda work: work.message == text)
                if taken is not None:
                    taken.is_taken = True
            elif kind == "agent_end":
                self._ended(event)

    def settle(self, work: PromptWork, outcome: Union[Event, Exception]) -> None:
        with self._lock:
            if work in self._open:
                self._open.remove(work)
                work.settle(outcome)

    def fail_all(self, reason: Exception) -> None:
        with self._lock:
            for work in list(self._open):
                self.settle(work, reason)

    def _oldest(self, fits: Callable[[PromptWork], bool]) -> Optional[PromptWork]:
        waiting = (work for work in self._open if work.is_acknowledged and not work.is_taken)
        return next((work for work in waiting if fits(work)), None)

    def _ended(self, end: Event) -> None:
        taken = [work for work in self._open if work.is_taken]
        first, self._first = self._first, None
        if not taken and first is not None:
            taken = [first]
        for work in taken:
            self.settle(work, end)
        for work in self._open:
            if work.is_addition and work.is_acknowledged:
                threading.Thread(target=self._settle_if_idle, args=(work, end), daemon=True).start()

    def _settle_if_idle(self, work: PromptWork, end: Event) -> None:
        """What was added came too late for this work: it begins new work, or has been dropped with it."""
        if self._is_idle() and not work.is_taken:
            self.settle(work, end)
