"""The todo list of a session: a model replaces it as a whole, and people and plugins see it."""
import json

from harness import TestCase, last_message, message, run_toolpost, text_of

CONFIG = """
[limits]
todos = 100
todo_bytes = 1024
"""

PLAN = [{"content": "read", "status": "completed", "priority": "HIGH"},
        {"content": "write", "status": " in_progress "},
        {"content": "send", "status": "", "priority": "soon"}]


class Todos(TestCase):
    def setUp(self):
        self.place = self.workspace("mindful", config=CONFIG)
        self.host = self.http_host(self.place)

    def create(self, **members):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": {}} | members)
        self.assertEqual(status, 201, made)
        return made["id"]

    def ask(self, session, method, params=None):
        body, fields = message(method, params or {}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | fields
        connection = self.host.connect()
        connection.request("POST", f"/mcp/s/{session}", json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def write(self, session, todos):
        return self.ask(session, "tools/call", {"name": "todo_write", "arguments": {"todos": todos}})

    def session(self, session):
        status, _, told = self.host.fetch("GET", f"/v1/sessions/{session}")
        self.assertEqual(status, 200, told)
        return told

    def refused(self, session, todos, words):
        before = self.session(session)
        answer = self.write(session, todos)
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn(words, text_of(answer))
        after = self.session(session)
        self.assertEqual((after["version"], after.get("todos")), (before["version"], before.get("todos")))

    def test_the_list_is_replaced_as_a_whole(self):  # case 48
        session, other = self.create(), self.create()
        answer = self.write(session, PLAN)
        self.assertEqual(text_of(answer), "2 open todo(s):\n- [x] read (priority: high)\n- [~] write\n- [ ] send")
        first = answer["result"]["structuredContent"]["todos"]
        self.assertEqual(first, [{"id": "1", "content": "read", "status": "completed", "priority": "high"},
                                 {"id": "2", "content": "write", "status": "in_progress"},
                                 {"id": "3", "content": "send", "status": "pending"}])
        self.assertEqual(self.session(session)["todos"], first)
        self.assertNotIn("todos", self.session(other))

        # The same content keeps its id, a given id keeps its todo, what is missing goes.
        self.write(session, [{"content": "send"}, {"content": "rewrite", "id": "2"}, {"content": "rest"}])
        self.assertEqual([(todo["id"], todo["content"]) for todo in self.session(session)["todos"]],
                         [("3", "send"), ("2", "rewrite"), ("4", "rest")])
        version = self.session(session)["version"]
        self.assertEqual(text_of(self.write(session, [])), "The todo list was cleared.")
        told = self.session(session)
        self.assertEqual((told.get("todos"), told["version"]), (None, version + 1))

    def test_a_wrong_list_changes_nothing_and_the_error_names_the_entry(self):  # case 48
        session = self.create()
        self.write(session, PLAN)
        self.refused(session, [{"content": "a"}, {"content": "b", "status": "doing"}],
                     'todos[1].status is "doing", which is not pending, in_progress or completed')
        both = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
        self.refused(session, both, "at most one")
        self.refused(session, [{"content": "a"}, {"content": " \n"}], "todos[1].content is empty")
        self.refused(session, [{"content": "\u200b\u202e"}], "todos[0].content is empty")
        self.refused(session, [{"content": "a", "id": "7"}, {"content": "b", "id": "7"}],
                     'todos[1].id "7" is the id of an earlier entry too')
        self.refused(session, [{"content": f"n{number}"} for number in range(10_000)],
                     "todos has 10000 entries, more than the 100 allowed (limits.todos)")
        self.refused(session, [{"content": "x" * 1025}], "more than the 1024 allowed (limits.todo_bytes)")
        self.refused(session, [{"content": "a", "id": "i" * 65}], "todos[0].id has 65 bytes")
        self.refused(session, [{"content": 7}], "/todos/0/content")
        metrics = self.host.fetch("GET", "/metrics")[2]
        self.assertIn('limits.todos"', metrics if isinstance(metrics, str) else json.dumps(metrics).replace('\\"', '"'))

    def test_only_callers_with_a_session_have_it_and_explore_mode_denies_it(self):
        names = {tool["name"] for tool in self.host.request("tools/list")["result"]["tools"]}
        self.assertNotIn("todo_write", names)
        self.assertIn("error", self.host.call("todo_write", {"todos": []}))
        exploring = self.create(mode="explore")
        answer = self.write(exploring, PLAN)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("explore", text_of(answer))
        line = self.place.audit_lines()[-1]
        self.assertEqual((line["tool"], line["decision"], line["outcome"]), ("todo_write", "deny", "denied"))
        for mode in ("default", "dont_ask"):
            self.assertNotIn("isError", self.write(self.create(mode=mode), PLAN)["result"], mode)

    def test_tools_get_it_with_the_state_of_the_session_and_it_survives_a_restart(self):
        session = self.create()
        recall = lambda: self.ask(session, "tools/call", {"name": "recall", "arguments": {}})["result"]["structuredContent"]
        self.assertEqual(recall()["session"]["todos"], [])
        self.write(session, PLAN)
        told = self.session(session)["todos"]
        self.assertEqual([{name: value for name, value in todo.items() if value is not None}
                          for todo in recall()["session"]["todos"]], told)
        self.host.stop()
        self.host = self.http_host(self.place)
        self.assertEqual(self.session(session)["todos"], told)
        shown = run_toolpost(self.place, "sessions", "show", session, "--config", self.place.config)
        self.assertIn("in_progress: write", shown.stdout, shown)
        status, _, fault = self.host.fetch("PATCH", f"/v1/sessions/{session}", {"version": 2, "todos": []})
        self.assertEqual(status, 422, fault)  # only its model writes it
        status, _, changed = self.host.fetch("PATCH", f"/v1/sessions/{session}", {"version": 2, "mode": "explore"})
        self.assertEqual((status, changed["todos"]), (200, told))
