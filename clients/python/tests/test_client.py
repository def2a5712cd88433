"""The client against a fake Ralph. What a real one answers is tested with the scenario all clients share."""

import json
import logging
import os
import queue
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from ralph_rpc import HostTool, ProcessExited, RpcClient, RpcError, UriScheme  # noqa: E402
from ralph_rpc.events import MAX_QUEUED, MAX_QUEUED_FOR_UPDATES, EventQueue  # noqa: E402

OK = {"type": "response", "id": "$id", "command": "x", "success": True}
ASK = {"type": "object", "properties": {}}


def answer(data):
    return {**OK, "data": data}


def event(**fields):
    return {"type": "event", "session_id": "s", "payload": {"event_type": fields["type"], "event": fields}}


def user(text):
    return event(type="message_end", message={"role": "user", "content": [{"type": "text", "text": text}]})


def end(outcome="done"):
    return event(type="agent_end", messages=[], outcome={"type": outcome})


def gate(gate_id, kind="approval", stage="select", schema=None, options=()):
    return {
        "type": "workflow_gate",
        "gate_id": gate_id,
        "stage": stage,
        "kind": kind,
        "schema": schema or {"type": "string"},
        "schema_hash": "h",
        "options": list(options),
        "context": {"tool": "write_file"},
        "created_at": "now",
        "required": True,
    }


class FakeRalph(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.record = os.path.join(self.folder.name, "read.json")
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def client(self, on=None, ready=None, **options):
        plan = os.path.join(self.folder.name, "plan.json")
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"ready": ready or [{"type": "ready"}], "on": on or {}}, file)
        return RpcClient(sys.executable, [os.path.join(HERE, "fake_ralph.py"), plan, self.record], **options)

    def sent(self):
        """What the fake has read; the client must be closed."""
        with open(self.record, encoding="utf-8") as file:
            return json.load(file)


class CallTest(FakeRalph):
    def test_fields_have_the_names_of_the_wire_and_absent_ones_are_left_out(self):
        with self.client(on={"compact": [[answer({"n": 1})]], "bash": [[OK]]}) as ralph:
            self.assertEqual(ralph.compact(custom_instructions="short"), {"n": 1})
            self.assertEqual(ralph.bash("ls"), {})
        self.assertEqual(
            self.sent(),
            [
                {"id": "req_1", "type": "compact", "customInstructions": "short"},
                {"id": "req_2", "type": "bash", "command": "ls"},
            ],
        )

    def test_refusals_have_a_code_a_message_and_the_rest(self):
        typed = {"code": "scope_denied", "message": "Not declared.", "scope": "bash"}
        refusals = [
            [{**OK, "success": False, "error": "Model not found: a/b"}],
            [{**OK, "success": False, "error": typed}],
        ]
        with self.client(on={"set_model": refusals}) as ralph:
            seen = []
            for _ in range(2):
                with self.assertRaises(RpcError) as caught:
                    ralph.set_model("a", "b")
                seen.append((caught.exception.code, caught.exception.message, caught.exception.data))
        self.assertEqual(
            seen,
            [("command_failed", "Model not found: a/b", {}), ("scope_denied", "Not declared.", {"scope": "bash"})],
        )

    def test_answers_find_their_commands_in_whatever_order_they_come(self):
        on = {"get_state": [[], [{**answer("second"), "id": "req_2"}, {**answer("first"), "id": "req_1"}]]}
        with self.client(on=on) as ralph:
            results = {}
            first = threading.Thread(target=lambda: results.update(first=ralph.get_state()))
            first.start()
            while not ralph._pending:  # the first is on its way before the second
                first.join(0.001)
            results["second"] = ralph.get_state()
            first.join()
        self.assertEqual(results, {"first": "first", "second": "second"})

    def test_what_ralph_could_not_read_is_not_sent(self):
        deep = []
        for _ in range(70):
            deep = [deep]
        with self.client(on={"get_state": [[OK]]}) as ralph:
            for value in ("x" * (9 * 1024 * 1024), deep, {"__proto__": 1}, float("nan"), object()):
                with self.assertRaises(RpcError) as caught:
                    ralph.respond_gate("g", value)
                self.assertEqual(caught.exception.code, "not_sent")
            self.assertEqual(ralph.get_state(), {})
        self.assertEqual([line["type"] for line in self.sent()], ["get_state"])

    def test_waiting_ends_after_the_time_that_was_given(self):
        with self.client() as ralph:
            with self.assertRaises(TimeoutError):
                ralph.get_state(timeout=0.01)

    def test_a_line_of_40_mb_is_read(self):
        with self.client(on={"get_last_assistant_text": [[{"long": 40_000_000}]]}) as ralph:
            self.assertEqual(len(ralph.get_last_assistant_text()["text"]), 40_000_000)


class EndTest(FakeRalph):
    def test_no_such_program(self):
        with self.assertRaisesRegex(ProcessExited, "^Ralph could not be started: "):
            RpcClient("/nowhere/ralph").start()

    def test_a_program_that_is_something_else(self):
        with self.assertRaises(ProcessExited) as caught:
            self.client(ready=[{"raw": "Usage: something else"}, {"sleep": 60}]).start()
        self.assertEqual(str(caught.exception), 'This is not what "ralph --mode rpc" sends: Usage: something else')

    def test_a_program_that_ends_before_it_is_ready(self):
        with self.assertRaises(ProcessExited) as caught:
            self.client(ready=[{"stderr": "No model is set."}, {"exit": 2}]).start()
        seen = caught.exception
        self.assertEqual(
            (str(seen), seen.exit_code, seen.stderr),
            ("Ralph has ended with code 2. It said: No model is set.", 2, "No model is set.\n"),
        )

    def test_a_program_that_is_never_ready(self):
        client = self.client(ready=[{"sleep": 60}], start_timeout=0.01, stop_timeout=0.01)
        with self.assertRaises(RpcError) as caught:
            client.start()
        self.assertEqual((caught.exception.code, client.exit_code), ("not_ready", -15))

    def test_a_crash_is_told_to_everything_that_waits(self):
        on = {"prompt": [[OK]], "get_state": [[{"stderr": "out of memory"}, {"exit": 134}]]}
        ralph = self.client(on=on).start()
        self.addCleanup(ralph.close)
        work, events = ralph.prompt("hi"), ralph.events()
        waiting = [ralph.get_state, work.wait, lambda: list(work), lambda: list(events), ralph.get_messages]
        for wait in waiting:
            with self.assertRaises(ProcessExited) as caught:
                wait()
            self.assertEqual((caught.exception.exit_code, caught.exception.stderr), (134, "out of memory\n"))

    def test_what_was_written_right_before_the_end_is_still_read(self):
        lines = [{"long": 20_000_000}, {"stderr": "bye"}, {"exit": 0}]
        ralph = self.client(on={"get_last_assistant_text": [lines]}).start()
        self.addCleanup(ralph.close)
        self.assertEqual(len(ralph.get_last_assistant_text()["text"]), 20_000_000)
        with self.assertRaises(ProcessExited) as caught:
            ralph.get_state()
        self.assertEqual((caught.exception.exit_code, caught.exception.stderr), (0, "bye\n"))

    def test_closing_twice_and_starting_twice(self):
        ralph = self.client().start()
        ralph.close()
        ralph.close()
        self.assertEqual(ralph.exit_code, 0)
        with self.assertRaises(RuntimeError):
            ralph.start()


class PromptTest(FakeRalph):
    def test_a_prompt_behind_an_abort_ends_with_its_own_work(self):
        on = {
            "prompt": [
                [OK, event(type="agent_start"), user("one")],
                [OK, end("interrupted"), event(type="agent_start"), user("two"), end()],
            ]
        }
        with self.client(on=on) as ralph:
            one, two = ralph.prompt("one"), ralph.prompt("two")
            self.assertEqual([work.wait(10)["outcome"]["type"] for work in (one, two)], ["interrupted", "done"])
            self.assertEqual([each["type"] for each in two][-1], "agent_end")

    def test_a_prompt_whose_message_appears_in_other_words_ends_with_its_work(self):
        with self.client(on={"prompt": [[OK, event(type="agent_start"), user("expanded"), end()]]}) as ralph:
            self.assertEqual(ralph.prompt_and_wait("/short", timeout=10)["outcome"], {"type": "done"})

    def test_a_prompt_that_is_refused_late(self):
        with self.client(on={"prompt": [[OK, {**OK, "success": False, "error": "The agent is working."}]]}) as ralph:
            with self.assertRaisesRegex(RpcError, "The agent is working."):
                ralph.prompt_and_wait("hi", timeout=10)

    def test_what_was_added_too_late_and_is_gone_ends_with_the_work(self):
        idle = answer({"isStreaming": False, "queuedMessageCount": 0})
        with self.client(on={"prompt": [[OK, end()]], "get_state": [[idle]]}) as ralph:
            work = ralph.prompt("more", streaming_behavior="steer")
            self.assertEqual(work.wait(10)["outcome"], {"type": "done"})

    def test_a_loop_and_callbacks_may_call_the_client(self):
        on = {"prompt": [[OK, event(type="agent_start"), user("hi"), end()]], "get_state": [[answer(1)]] * 20}
        client = self.client(on=on)
        told: "queue.Queue" = queue.Queue()

        @client.on_event
        def _(each):
            told.put((each["type"], client.get_state(timeout=10)))

        with client as ralph:
            seen = [(each["type"], ralph.get_state(timeout=10)) for each in ralph.prompt("hi")]
            self.assertEqual([told.get(timeout=10) for _ in seen], seen)
        self.assertEqual([kind for kind, _ in seen], ["agent_start", "message_end", "agent_end"])


class GateTest(FakeRalph):
    ACCEPTED = answer({"gate_id": "g", "status": "accepted"})

    def answers_of(self, gates, configure, responses=None):
        """What the client sends for gates that come with ``ready``."""
        received = threading.Semaphore(0)
        on = {"workflow_gate_response": responses or [[self.ACCEPTED]] * 20}
        client = self.client(ready=[{"type": "ready"}, *gates], on=on)
        send = client._send

        def counted(frame):
            result = send(frame)
            received.release()
            return result

        client._answers._send = counted
        respond = client._answers._respond

        def responded(gate_id, said):
            try:
                return respond(gate_id, said)
            finally:
                received.release()

        client._answers._respond = responded
        configure(client)
        with client:
            for _ in gates:
                self.assertTrue(received.acquire(timeout=10))
        sent = [{name: value for name, value in line.items() if name != "id" or "gate_id" not in line} for line in self.sent()]
        return sorted(sent, key=json.dumps)

    def test_nobody_to_ask_means_no(self):
        self.assertEqual(
            self.answers_of([gate("ui_1")], lambda client: None),
            [{"type": "extension_ui_response", "id": "ui_1", "cancelled": True}],
        )

    def test_a_policy_answers_every_gate_in_the_form_it_takes(self):
        gates = [
            gate("ui_1", options=["yes", "no"]),
            gate("ui_2", stage="confirm", schema={"type": "boolean"}),
            gate("wg_1", kind="question", stage="deep-interview", options=[{"value": "a", "label": "A"}]),
            gate("wg_2", stage="ralplan"),
        ]

        def resolver(each):
            if each.kind == "question":
                return {"selected": [each.options[0].value], "other": False}
            return {"decision": "approve"}

        sent = self.answers_of(gates, lambda client: client.run_workflow_gate_policy(resolver))
        self.assertEqual(
            {line["gate_id"]: line["answer"] for line in sent},
            {
                "ui_1": "yes",
                "ui_2": True,
                "wg_1": {"selected": ["a"], "other": False},
                "wg_2": {"decision": "approve"},
            },
        )

    def test_approvals_are_asked_before_gates(self):
        def configure(client):
            client.on_approval(lambda each: False)
            client.on_gate(lambda each: "gate")

        sent = self.answers_of([gate("ui_1"), gate("wg_1", kind="question", stage="deep-interview")], configure)
        self.assertEqual({line["gate_id"]: line["answer"] for line in sent}, {"ui_1": "no", "wg_1": "gate"})

    def test_a_callback_that_fails_means_no_and_is_told(self):
        problems = []

        def configure(client):
            client.on_problem(problems.append)
            client.on_gate(lambda each: {}["missing"])

        sent = self.answers_of([gate("ui_1")], configure)
        self.assertEqual(sent, [{"type": "extension_ui_response", "id": "ui_1", "cancelled": True}])
        self.assertEqual([type(each) for each in problems], [KeyError])

    def test_a_screen_answers_its_requests(self):
        request = {"type": "extension_ui_request", "id": "ui_1", "method": "confirm", "title": "T", "message": "M"}
        sent = self.answers_of([request], lambda client: client.on_ui_request(lambda each: {"confirmed": True}))
        self.assertEqual(sent, [{"type": "extension_ui_response", "id": "ui_1", "confirmed": True}])


class HostTest(FakeRalph):
    def results_of(self, frames, **options):
        """What the client sends back for calls that follow the answer to get_state."""
        on = {"set_host_tools": [[OK]], "set_host_uri_schemes": [[OK]], "get_state": [[OK, *frames]]}
        last = threading.Event()
        client = self.client(on=on, **options)
        send, left = client._calls._send, [len(frames)]

        def counted(frame):
            problem = send(frame)
            left[0] -= frame["type"] in ("host_tool_result", "host_uri_result") and problem is None
            if left[0] == 0:
                last.set()
            return problem

        client._calls._send = counted
        with client as ralph:
            ralph.get_state()
            self.assertTrue(last.wait(10))
        kinds = ("host_tool_update", "host_tool_result", "host_uri_result")
        return [line for line in self.sent() if line["type"] in kinds]

    def call(self, name, **arguments):
        return {"type": "host_tool_call", "id": "host_1", "toolCallId": "c", "toolName": name, "arguments": arguments}

    def test_a_tool_shows_updates_and_gives_its_result(self):
        def run(arguments, context):
            context.update("working")
            return {"content": [{"type": "text", "text": arguments["word"]}], "details": context.tool_call_id}

        sent = self.results_of([self.call("echo", word="hi")], tools=[HostTool("echo", "Echoes", ASK, run)])
        self.assertEqual(
            sent,
            [
                {
                    "type": "host_tool_update",
                    "id": "host_1",
                    "partialResult": {"content": [{"type": "text", "text": "working"}]},
                },
                {
                    "type": "host_tool_result",
                    "id": "host_1",
                    "result": {"content": [{"type": "text", "text": "hi"}], "details": "c"},
                },
            ],
        )

    def test_failures_are_told_to_the_model(self):
        def fails(_arguments, _context):
            raise ValueError("no such row")

        tools = {"fails": fails, "long": lambda *_: "x" * (9 * 1024 * 1024), "absent": None}
        told = []
        for name, run in tools.items():
            given = [] if run is None else [HostTool(name, "", ASK, run)]
            (sent,) = self.results_of([self.call(name)], tools=given)
            told.append((sent["isError"], sent["result"]["content"][0]["text"][:40]))
        self.assertEqual(
            told,
            [
                (True, "no such row"),
                (True, "The result of the host cannot be sent. I"),
                (True, "This host has no tool absent."),
            ],
        )

    def test_addresses_are_read_and_written(self):
        rows = {"db://1": "Ada"}
        scheme = UriScheme("DB", lambda url, _: rows[url], lambda url, content, _: rows.update({url: content}))
        frames = [
            {"type": "host_uri_request", "id": "uri_1", "operation": "read", "url": "db://1"},
            {"type": "host_uri_request", "id": "uri_2", "operation": "write", "url": "db://2", "content": "Grace"},
            {"type": "host_uri_request", "id": "uri_3", "operation": "read", "url": "db://9"},
        ]
        sent = sorted(self.results_of(frames, uri_schemes=[scheme]), key=lambda line: line["id"])
        self.assertEqual(
            sent,
            [
                {"type": "host_uri_result", "id": "uri_1", "content": "Ada"},
                {"type": "host_uri_result", "id": "uri_2"},
                {"type": "host_uri_result", "id": "uri_3", "isError": True, "error": "'db://9'"},
            ],
        )
        self.assertEqual(rows, {"db://1": "Ada", "db://2": "Grace"})


class EventQueueTest(unittest.TestCase):
    def test_updates_alone_are_left_out_while_too_much_waits(self):
        events = EventQueue()
        events.push({"type": "turn_start"}, MAX_QUEUED_FOR_UPDATES)
        events.push({"type": "message_update"}, 1)
        events.push({"type": "turn_end"}, 1)
        events.end()
        self.assertEqual([each["type"] for each in events], ["turn_start", "notice", "turn_end"])

    def test_whoever_fell_behind_is_told_after_what_had_come(self):
        events = EventQueue()
        events.push({"type": "turn_start"}, MAX_QUEUED)
        events.push({"type": "turn_end"}, 1)
        self.assertEqual(next(events), {"type": "turn_start"})
        with self.assertRaises(RuntimeError):
            next(events)
        self.assertEqual(list(events), [])


if __name__ == "__main__":
    unittest.main()
