"""Drives `pi --mode rpc` from Python: one method for each command, events, dialogs as callbacks, resume after a crash.

Standard library only, Python 3.9 or later. See README.md beside this file.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

Json = Dict[str, Any]
#: Answers one dialog: a text for select, input and editor, a bool for confirm, None to dismiss it.
Dialog = Callable[[Json], Union[str, bool, None]]

DIALOGS = ("select", "confirm", "input", "editor")
#: Commands whose response comes when something is done that may take any time.
UNLIMITED = frozenset({"bash", "compact", "navigate_tree", "abort", "export_html", "prompt", "reload"})
STDERR_TAIL = 16 * 1024


class PiError(Exception):
    """The program refused a command. `code` is its stable word, when it gave one."""

    def __init__(self, message: str, code: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code


class PiExited(PiError):
    """The program ended while it was needed. `returncode` is negative for a signal, `stderr` its last words."""

    def __init__(self, returncode: Optional[int], stderr: str) -> None:
        words = "\n".join(stderr.strip().splitlines()[-5:])
        super().__init__(f"pi ended with {returncode}" + (f": {words}" if words else ""), "PROGRAM_EXITED")
        self.returncode = returncode
        self.stderr = stderr


class PiTimeout(PiError):
    """No response in time. What the program does goes on: `abort()` stops it."""


class PiClient:
    """One `pi --mode rpc` process. Use it as a context manager, from any number of threads.

    dialogs: method name -> callback, run in a thread of its own. A dialog without one is dismissed.
    on_event, on_notice: called in the order of arrival, in the reader's thread: they must not call the client and wait.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        *,
        command: Sequence[str] = ("pi",),
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        dialogs: Optional[Mapping[str, Dialog]] = None,
        on_event: Optional[Callable[[Json], None]] = None,
        on_notice: Optional[Callable[[Json], None]] = None,
        timeout: float = 30.0,
    ) -> None:
        self._command = list(command)
        self._args = list(args)
        self._cwd = cwd
        self._env = dict(env) if env is not None else None
        self._dialogs = dict(dialogs or {})
        self._on_event = on_event
        self._on_notice = on_notice
        self._timeout = timeout
        self._lock = threading.Lock()
        self._serial = 0
        self._session: Optional[str] = None
        self._last_entry: Optional[str] = None
        self._start([])
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    # The process.

    def _start(self, session: List[str]) -> None:
        own = _without_session(self._args) if session else self._args
        line = [*self._command, "--mode", "rpc", *own, *session]
        self._process = subprocess.Popen(
            line, cwd=self._cwd, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._stderr = ""
        self._waiting: Dict[str, "queue.SimpleQueue[Json]"] = {}
        self._listeners: List["queue.SimpleQueue[Optional[Json]]"] = []
        self._open: Dict[str, threading.Event] = {}
        self._gone = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._errors = threading.Thread(target=self._read_stderr, args=(self._process,), daemon=True)
        self._reader.start()
        self._errors.start()

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        # Lines end with LF and nothing else; readline of a binary stream keeps to that.
        for line in iter(process.stdout.readline, b""):
            try:
                record = json.loads(line.decode("utf-8"))
            except ValueError:
                print(f"pi client: a line is not JSON: {line[:200]!r}", file=sys.stderr)
                continue
            self._receive(record)
        process.wait()
        self._errors.join()
        self._gone.set()
        with self._lock:
            waiting, listeners, dialogs = list(self._waiting.values()), list(self._listeners), list(self._open.values())
            self._waiting.clear()
            self._listeners.clear()
            self._open.clear()
        for box in waiting:
            box.put({})
        for listener in listeners:
            listener.put(None)
        for withdrawn in dialogs:
            withdrawn.set()

    def _read_stderr(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        for line in iter(process.stderr.readline, b""):
            self._stderr = (self._stderr + line.decode("utf-8", "replace"))[-STDERR_TAIL:]

    def _receive(self, record: Json) -> None:
        kind = record.get("type")
        if kind == "response":
            with self._lock:
                box = self._waiting.pop(str(record.get("id")), None)
            if box is not None:
                box.put(record)
        elif kind == "extension_ui_request":
            if record.get("method") in DIALOGS:
                withdrawn = threading.Event()
                with self._lock:
                    self._open[record["id"]] = withdrawn
                threading.Thread(target=self._ask, args=(record, withdrawn), daemon=True).start()
            else:
                self._call(self._on_notice, record)
        elif kind == "extension_ui_cancel":
            with self._lock:
                open_dialog = self._open.pop(str(record.get("id")), None)
            if open_dialog is not None:
                open_dialog.set()
        else:
            self._call(self._on_event, record)
            with self._lock:
                listeners = list(self._listeners)
            for listener in listeners:
                listener.put(record)

    def _ask(self, request: Json, withdrawn: threading.Event) -> None:
        answer: Union[str, bool, None] = None
        handler = self._dialogs.get(request["method"])
        try:
            # The callback can look whether anybody still waits.
            answer = handler({**request, "withdrawn": withdrawn}) if handler is not None else None
        except Exception as error:  # a callback's mistake is a dismissed dialog, not a hanging run
            print(f"pi client: the {request['method']} callback failed: {error}", file=sys.stderr)
        with self._lock:
            if self._open.pop(request["id"], None) is None:
                return
        said: Json = {"cancelled": True} if answer is None else {"confirmed" if isinstance(answer, bool) else "value": answer}
        self._send({"type": "extension_ui_response", "id": request["id"], **said})

    @staticmethod
    def _call(callback: Optional[Callable[[Json], None]], record: Json) -> None:
        if callback is None:
            return
        try:
            callback(record)
        except Exception as error:  # one listener's mistake is not the others'
            print(f"pi client: a callback failed: {error}", file=sys.stderr)

    def _send(self, record: Json) -> None:
        data = json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(data)
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError, OSError):
            pass  # the reader learns why, and tells those who wait

    # What there is to know.

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return not self._gone.is_set()

    @property
    def stderr(self) -> str:
        """The last of what the program said to people."""
        return self._stderr

    @property
    def session_file(self) -> Optional[str]:
        return self._session

    # Asking.

    def request(self, name: str, /, timeout: Optional[float] = None, **params: Any) -> Json:
        """Sends a command and gives its `data`. Raises PiError, PiTimeout or PiExited."""
        if self._gone.is_set():
            raise PiExited(self._process.returncode, self._stderr)
        box: "queue.SimpleQueue[Json]" = queue.SimpleQueue()
        with self._lock:
            self._serial += 1
            request_id = f"py{self._serial}"
            self._waiting[request_id] = box
        self._send({**params, "id": request_id, "type": name})
        if self._gone.is_set():
            box.put({})
        limit = timeout if timeout is not None else (None if name in UNLIMITED else self._timeout)
        try:
            response = box.get(timeout=limit)
        except queue.Empty:
            with self._lock:
                self._waiting.pop(request_id, None)
            raise PiTimeout(f"no response to {name} in {limit} s", "TIMEOUT") from None
        if not response:
            raise PiExited(self._process.poll(), self._stderr)
        if not response.get("success"):
            raise PiError(str(response.get("error")), response.get("code"))
        data: Json = response.get("data") or {}
        if name in ("new_session", "switch_session", "fork", "clone"):
            self._last_entry = None
            self._look()
        return data

    def _listen(self) -> "queue.SimpleQueue[Optional[Json]]":
        box: "queue.SimpleQueue[Optional[Json]]" = queue.SimpleQueue()
        with self._lock:
            self._listeners.append(box)
        if self._gone.is_set():
            box.put(None)
        return box

    def _unlisten(self, box: "queue.SimpleQueue[Optional[Json]]") -> None:
        with self._lock:
            if box in self._listeners:
                self._listeners.remove(box)

    def events(self) -> Iterator[Json]:
        """Every event from now on, until the program ends. Listening begins with the call, not with the first item."""
        box = self._listen()

        def items() -> Iterator[Json]:
            try:
                yield from iter(box.get, None)
            finally:
                self._unlisten(box)

        return items()

    def prompt_and_wait(self, message: str, timeout: Optional[float] = None, **params: Any) -> Tuple[str, List[Json]]:
        """Sends a prompt and waits until the run has settled. Gives the text of the last answer, and the events of the run."""
        box = self._listen()
        seen: List[Json] = []
        end = None if timeout is None else time.monotonic() + timeout
        try:
            self.request("prompt", timeout=timeout, message=message, **params)
            while not seen or seen[-1].get("type") != "agent_settled":
                event = box.get(timeout=None if end is None else max(0.0, end - time.monotonic()))
                if event is None:
                    raise PiExited(self._process.poll(), self._stderr)
                seen.append(event)
        except queue.Empty:
            raise PiTimeout(f"the run did not settle in {timeout} s", "TIMEOUT") from None
        finally:
            self._unlisten(box)
        self._look()
        return self.request("get_last_assistant_text").get("text") or "", seen

    # After a crash, and the end.

    def resume(self) -> List[Json]:
        """Starts the program again with the session it had. Gives the entries stored after the last one that was known."""
        if not self._gone.is_set():
            return []
        self._start([] if self._session is None else ["--session", self._session])
        entries = self._look()
        return [] if self._session is None else entries

    def _look(self) -> List[Json]:
        self._session = self.request("get_state").get("sessionFile") or self._session
        since = {} if self._last_entry is None else {"since": self._last_entry}
        entries: List[Json] = self.request("get_entries", **since)["entries"]
        if entries:
            self._last_entry = entries[-1]["id"]
        return entries

    def close(self, grace: float = 5.0) -> Optional[int]:
        """Ends the program: its input first, and by force after `grace` seconds."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
        except OSError:
            pass  # it is gone already
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        return self._process.returncode

    def __enter__(self) -> "PiClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # One method for each command of docs/PROTOCOL.md, with its parameters by their names there.

    def prompt(self, message: str, **params: Any) -> Json:
        return self.request("prompt", message=message, **params)

    def steer(self, message: str, **params: Any) -> Json:
        return self.request("steer", message=message, **params)

    def follow_up(self, message: str, **params: Any) -> Json:
        return self.request("follow_up", message=message, **params)

    def abort(self) -> Json:
        return self.request("abort")

    def clear_queue(self) -> Json:
        return self.request("clear_queue")

    def new_session(self, **params: Any) -> Json:
        return self.request("new_session", **params)

    def get_state(self) -> Json:
        return self.request("get_state")

    def get_messages(self) -> List[Json]:
        return list(self.request("get_messages")["messages"])

    def set_model(self, provider: str, model_id: str) -> Json:
        return self.request("set_model", provider=provider, modelId=model_id)

    def cycle_model(self) -> Json:
        return self.request("cycle_model")

    def get_available_models(self) -> List[Json]:
        return list(self.request("get_available_models")["models"])

    def set_thinking_level(self, level: str) -> Json:
        return self.request("set_thinking_level", level=level)

    def cycle_thinking_level(self) -> Json:
        return self.request("cycle_thinking_level")

    def get_available_thinking_levels(self) -> List[str]:
        return list(self.request("get_available_thinking_levels")["levels"])

    def set_steering_mode(self, mode: str) -> Json:
        return self.request("set_steering_mode", mode=mode)

    def set_follow_up_mode(self, mode: str) -> Json:
        return self.request("set_follow_up_mode", mode=mode)

    def compact(self, **params: Any) -> Json:
        return self.request("compact", **params)

    def set_auto_compaction(self, enabled: bool) -> Json:
        return self.request("set_auto_compaction", enabled=enabled)

    def set_auto_retry(self, enabled: bool) -> Json:
        return self.request("set_auto_retry", enabled=enabled)

    def abort_retry(self) -> Json:
        return self.request("abort_retry")

    def bash(self, command: str, **params: Any) -> Json:
        return self.request("bash", command=command, **params)

    def abort_bash(self) -> Json:
        return self.request("abort_bash")

    def get_session_stats(self) -> Json:
        return self.request("get_session_stats")

    def export_html(self, **params: Any) -> Json:
        return self.request("export_html", **params)

    def switch_session(self, session_path: str) -> Json:
        return self.request("switch_session", sessionPath=session_path)

    def fork(self, entry_id: str, **params: Any) -> Json:
        return self.request("fork", entryId=entry_id, **params)

    def clone(self) -> Json:
        return self.request("clone")

    def get_fork_messages(self) -> List[Json]:
        return list(self.request("get_fork_messages")["messages"])

    def get_entries(self, **params: Any) -> List[Json]:
        return list(self.request("get_entries", **params)["entries"])

    def get_tree(self) -> List[Json]:
        return list(self.request("get_tree")["tree"])

    def get_last_assistant_text(self) -> Optional[str]:
        return self.request("get_last_assistant_text").get("text")

    def set_session_name(self, name: str) -> Json:
        return self.request("set_session_name", name=name)

    def get_commands(self) -> List[Json]:
        return list(self.request("get_commands")["commands"])

    def get_capabilities(self) -> Json:
        return self.request("get_capabilities")

    def get_diagnostics(self) -> List[Json]:
        return list(self.request("get_diagnostics")["diagnostics"])

    def get_events(self, since: int) -> Json:
        return self.request("get_events", since=since)

    def navigate_tree(self, entry_id: str, **params: Any) -> Json:
        return self.request("navigate_tree", entryId=entry_id, **params)

    def set_label(self, entry_id: str, **params: Any) -> Json:
        return self.request("set_label", entryId=entry_id, **params)

    def list_sessions(self, **params: Any) -> List[Json]:
        return list(self.request("list_sessions", **params)["sessions"])

    def get_extensions(self) -> List[Json]:
        return list(self.request("get_extensions")["extensions"])

    def reload(self) -> Json:
        return self.request("reload")

    def get_tools(self) -> List[Json]:
        return list(self.request("get_tools")["tools"])

    def set_active_tools(self, tools: Sequence[str]) -> Json:
        return self.request("set_active_tools", tools=list(tools))


def _without_session(args: Sequence[str]) -> List[str]:
    """The arguments without what chooses a session: the one that was counts more."""
    with_value = {"--session", "--session-id", "--fork", "--name", "-n"}
    alone = {"--continue", "-c", "--no-session"}
    kept: List[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in with_value:
            skip = True
        elif arg not in alone and arg.split("=")[0] not in with_value:
            kept.append(arg)
    return kept
