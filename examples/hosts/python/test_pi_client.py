"""Run by the tests of the project: `PI_COMMAND`, `MODEL_URL` and the working directory are set there."""

import os
import shlex
import signal
import threading
import unittest

from pi_client import PiClient, PiError, PiExited, PiTimeout

COMMAND = shlex.split(os.environ["PI_COMMAND"])


def client(*args: str, **options):
    return PiClient(["--provider", "offline", "-e", "asks.ts", *args], command=COMMAND, **options)


class PiClientTest(unittest.TestCase):
    def test_asks_and_gets_the_answer_with_its_events(self) -> None:
        with client("--no-session") as pi:
            text, events = pi.prompt_and_wait("read notes.txt", timeout=60)
            self.assertIn("alpha", text)
            self.assertEqual([events[0]["type"], events[-1]["type"]], ["agent_start", "agent_settled"])
            self.assertIn("\u2028", pi.bash("printf 'a\\342\\200\\250b'")["output"])

    def test_answers_every_dialog_and_passes_notices_on(self) -> None:
        notices = []
        dialogs = {"select": lambda r: r["options"][1], "confirm": lambda r: True, "input": lambda r: 1 / 0, "editor": lambda r: r["prefill"] + "!"}
        with client("--no-session", dialogs=dialogs, on_notice=notices.append) as pi:
            pi.prompt("/ask")
            self.assertEqual(notices[-1]["message"], '["b",true,null,"begin!"]')

    def test_tells_a_callback_that_nobody_waits_any_more(self) -> None:
        seen = threading.Event()

        def slow(request):
            if request["withdrawn"].wait(30):
                seen.set()
            return "late"

        with client("--no-session", dialogs={"input": slow}) as pi:
            pi.prompt("/brief")
            self.assertTrue(seen.wait(30))

    def test_raises_what_the_program_says(self) -> None:
        with client("--no-session") as pi:
            with self.assertRaises(PiError) as caught:
                pi.set_model("nobody", "nothing")
            self.assertEqual(caught.exception.code, "MODEL_NOT_FOUND")
            with self.assertRaises(PiTimeout):
                pi.request("bash", timeout=0.05, command="sleep 30")
            pi.abort_bash()

    def test_can_be_used_from_several_threads(self) -> None:
        with client("--no-session") as pi:
            outputs = []
            threads = [threading.Thread(target=lambda: outputs.extend(pi.get_state()["sessionId"] for _ in range(50))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(outputs), 400)
            self.assertEqual(len(set(outputs)), 1)

    def test_goes_on_after_a_crash_and_loses_nothing(self) -> None:
        with client() as pi:
            pi.prompt_and_wait("read notes.txt", timeout=60)
            before = pi.get_entries()
            listener = pi.events()
            pi.prompt('run "sleep 60"')
            for event in listener:
                if event["type"] == "tool_execution_start":
                    os.kill(pi.pid, signal.SIGKILL)
            with self.assertRaises(PiExited) as caught:
                pi.get_state()
            self.assertEqual(caught.exception.returncode, -signal.SIGKILL)
            missed = pi.resume()
            self.assertEqual([entry["message"]["role"] for entry in missed], ["user", "assistant"])
            after = pi.get_entries()
            self.assertEqual([entry["id"] for entry in after], [entry["id"] for entry in before + missed])

    def test_says_why_the_program_did_not_start(self) -> None:
        with self.assertRaises(PiExited) as caught:
            client("--no-such-option")
        self.assertIn("--no-such-option", str(caught.exception))
        self.assertEqual(caught.exception.returncode, 2)

    def test_ends_the_program_by_force_if_need_be(self) -> None:
        pi = client("--no-session")
        os.kill(pi.pid, signal.SIGSTOP)
        self.assertEqual(pi.close(grace=0.2), -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
