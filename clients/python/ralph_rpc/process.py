"""A Ralph that works: lines in, lines out, and exactly one end."""

from __future__ import annotations

import subprocess
import threading
from typing import Callable, Mapping, Optional, Sequence

from .errors import ProcessExited

#: Of one line that is read.
MAX_LINE_BYTES = 64 * 1024 * 1024
#: Of standard error, the newest.
STDERR_CHARACTERS = 8000
#: When nothing more of an ended process has come for this long, somebody else holds its output.
LAST_LINES_SECONDS = 2.0
#: A process that has closed its output is given this long to end.
SILENT_SECONDS = 10.0
AFTER_TERMINATE_SECONDS = 2.0


class RalphProcess:
    """Starts the command. ``on_line`` and then, once, ``on_end`` are called on threads of their own."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Optional[str],
        env: Optional[Mapping[str, str]],
        on_line: Callable[[bytes], None],
        on_end: Callable[[ProcessExited], None],
    ) -> None:
        self._on_line = on_line
        self._on_end = on_end
        self._failure: Optional[str] = None
        self._stderr = ""
        self._lines = 0
        self._is_taking = False
        self._writing = threading.Lock()
        self._is_closed = False
        self._ended = threading.Event()
        try:
            self._child = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=None if env is None else dict(env),
            )
        except OSError as error:
            raise ProcessExited(f"Ralph could not be started: {error}", None, "") from error
        self._readers = [
            threading.Thread(target=self._read, name="ralph-rpc-read", daemon=True),
            threading.Thread(target=self._read_stderr, name="ralph-rpc-stderr", daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        threading.Thread(target=self._wait, name="ralph-rpc-wait", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def exit_code(self) -> Optional[int]:
        return self._child.returncode

    def write(self, line: bytes) -> bool:
        """Blocks while Ralph does not take what was written. False where it never will."""
        with self._writing:
            if self._is_closed or self._child.stdin is None:
                return False
            try:
                self._child.stdin.write(line + b"\n")
                self._child.stdin.flush()
                return True
            except (OSError, ValueError):
                return False

    def stop(self, within_seconds: float) -> None:
        """Closes standard input and waits; a process that stays is ended after ``within_seconds``."""
        # A write that is stuck holds the lock; the process is ended all the same.
        if self._writing.acquire(timeout=within_seconds):
            try:
                self._close_input()
            finally:
                self._writing.release()
        for end, seconds in ((self._child.terminate, within_seconds), (self._child.kill, AFTER_TERMINATE_SECONDS)):
            if self._ended.wait(seconds):
                break
            end()
        self._ended.wait()

    def fail(self, reason: str) -> None:
        """What comes from the process makes no sense: nothing more is read."""
        self._failure = self._failure or reason
        self._child.kill()

    def _close_input(self) -> None:
        self._is_closed = True
        try:
            if self._child.stdin is not None:
                self._child.stdin.close()
        except OSError:
            pass  # what had not been written has nobody to read it

    def _read(self) -> None:
        stdout = self._child.stdout
        while stdout is not None and self._failure is None:
            line = stdout.readline(MAX_LINE_BYTES + 1)
            if line == b"":
                break
            if len(line) > MAX_LINE_BYTES:
                self.fail(f"Ralph sent a line of more than {MAX_LINE_BYTES} bytes.")
            elif line.endswith(b"\n"):
                self._is_taking = True
                self._on_line(line)
                self._is_taking = False
                self._lines += 1
        try:
            self._child.wait(SILENT_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()

    def _read_stderr(self) -> None:
        stderr = self._child.stderr
        while stderr is not None:
            piece = stderr.read1(65536)  # type: ignore[attr-defined]
            if piece == b"":
                return
            self._stderr = (self._stderr + piece.decode("utf-8", "replace"))[-STDERR_CHARACTERS:]

    def _wait(self) -> None:
        code = self._child.wait()
        for reader in self._readers:
            self._drain(reader)
        said = f" It said: {self._stderr.strip()}" if self._stderr.strip() else ""
        how = f"with code {code}" if code >= 0 else f"by signal {-code}"
        try:
            self._on_end(ProcessExited(f"{self._failure or f'Ralph has ended {how}.'}{said}", code, self._stderr))
        finally:
            self._close_pipes()
            self._ended.set()

    def _drain(self, reader: threading.Thread) -> None:
        while reader.is_alive():
            seen = self._lines
            reader.join(LAST_LINES_SECONDS)
            if not self._is_taking and self._lines == seen:
                return

    def _close_pipes(self) -> None:
        with self._writing:
            self._close_input()
        for reader, pipe in zip(self._readers, (self._child.stdout, self._child.stderr)):
            if pipe is not None and not reader.is_alive():
                pipe.close()
