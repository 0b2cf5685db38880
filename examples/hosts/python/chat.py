"""A conversation in the shell: `python3 chat.py [options of pi]`. What extensions ask is asked here. Ends with the input."""

from __future__ import annotations

import os
import shlex
import sys

from pi_client import Json, PiClient, PiExited

COMMAND = shlex.split(os.environ.get("PI_COMMAND", "pi"))


def ask(prompt: str) -> "str | None":
    try:
        return input(prompt)
    except EOFError:
        return None


def select(request: Json) -> "str | None":
    for number, option in enumerate(request["options"], 1):
        print(f"  {number}. {option}")
    answer = ask(f"{request['title']} ")
    options = request["options"]
    return options[int(answer) - 1] if answer and answer.isdigit() and 0 < int(answer) <= len(options) else None


def confirm(request: Json) -> bool:
    return (ask(f"{request['title']} {request['message']} [y/N] ") or "").lower().startswith("y")


def text(request: Json) -> "str | None":
    return ask(f"{request['title']} ")


def show(event: Json) -> None:
    delta = event.get("assistantMessageEvent", {})
    if event["type"] == "message_update" and delta.get("type") == "text_delta":
        print(delta["delta"], end="", flush=True)
    elif event["type"] == "tool_execution_start":
        print(f"\n[{event['toolName']} {event['args']}]", flush=True)
    elif event["type"] == "agent_settled":
        print()


def main() -> int:
    dialogs = {"select": select, "confirm": confirm, "input": text, "editor": text}
    note = lambda notice: print(f"({notice.get('message')})") if notice["method"] == "notify" else None
    with PiClient(sys.argv[1:], command=COMMAND, dialogs=dialogs, on_event=show, on_notice=note) as pi:
        while True:
            line = ask("> ")
            if line is None:
                return 0
            if not line.strip():
                continue
            try:
                # Listening before asking: a short run may be over before the response is read.
                events = pi.events()
                if pi.prompt(line).get("disposition") == "started":
                    next((event for event in events if event["type"] == "agent_settled"), None)
            except PiExited as error:
                print(error, file=sys.stderr)
                print(f"({len(pi.resume())} entries were stored; going on)")


if __name__ == "__main__":
    sys.exit(main())
