"""Files that clients upload and name in `attachments`: signed URLs, streaming, owners, quotas, expiry, full disks, kills.

TOOLPOST_UPLOAD_KILLS says how often the host is killed, 3 times without it; TOOLPOST_UPLOAD_MIB how large the large
file is, 64 without it; TOOLPOST_SLOW_UPLOADS how many slow uploads there are beside plain calls, 20 without it.
scripts/soak uploads has the large figures.
"""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import sqlite3
import threading
import unittest
import urllib.parse

from harness import BUILD, TestCase, last_message, problem, run_toolpost, text_of, wait_until

KILLS = int(os.environ.get("TOOLPOST_UPLOAD_KILLS", "3"))
MIB = int(os.environ.get("TOOLPOST_UPLOAD_MIB", "64"))
SLOW = int(os.environ.get("TOOLPOST_SLOW_UPLOADS", "20"))
# While the large file arrives, the host may use so much more memory than before.
MOST_GROWTH = 32 << 20


def target_of(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.path}?{parts.query}"


def fnv(data):
    """FNV-1a of 64 bits, as the plugin computes it."""
    hash = 0xcbf29ce484222325
    for byte in data:
        hash = ((hash ^ byte) * 0x100000001b3) & 0xffffffffffffffff
    return hash


class FileCase(TestCase):
    def place(self, *plugins, config=""):
        place = self.workspace(*(plugins or ("services",)), config=config)
        self.store = place.root / "home/.local/state/toolpost/toolpost.db"
        self.folder = pathlib.Path(str(self.store) + ".files")
        return place

    def stored(self):
        return sorted(entry.name for entry in self.folder.iterdir()) if self.folder.exists() else []

    def key(self, place, name, *options):
        made = run_toolpost(place, "key", "new", name, "--config", place.config, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def presign(self, host, body=None, key=None, status=200):
        got, _, answer = host.fetch("POST", "/v1/files/presign-upload", {} if body is None else body, key)
        self.assertEqual(got, status, answer)
        return answer

    def put(self, host, url, data, headers=None):
        connection = host.connect()
        connection.request("PUT", target_of(url), data, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text)

    def get(self, host, url, method="GET"):
        connection = host.connect()
        connection.request(method, target_of(url))
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def upload(self, host, data, key=None, **said):
        made = self.presign(host, said, key)
        status, answer = self.put(host, made["upload_url"], data)
        self.assertEqual(status, 201, answer)
        self.assertEqual(answer["sha256"], hashlib.sha256(data).hexdigest())
        return made["file_id"]

    def attached(self, host, *entries, tool="attached_list", key=None, **arguments):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return host.call(tool, {"attachments": list(entries), **arguments}, headers=headers)

    def refused(self, answer, *words):
        self.assertTrue(answer["result"].get("isError"), answer)
        for word in words:
            self.assertIn(word, text_of(answer))


class Attachments(FileCase):
    def setUp(self):
        self.host = self.http_host(self.place())

    def test_a_file_reaches_the_plugin_with_name_type_size_digest_and_a_signed_url(self):
        data = b"first line\n" * 1000
        file = self.upload(self.host, data, filename="q3.pdf", content_type="application/pdf")
        entry = {"file_id": file}
        self.assertEqual(text_of(self.attached(self.host, entry)), f"{file} q3.pdf application/pdf {len(data)}|")
        self.assertEqual(text_of(self.attached(self.host, entry, tool="attached_read")), f"{len(data)} bytes")
        digest, url = text_of(self.attached(self.host, entry, tool="attached_shown")).rstrip("|").split(" ")
        self.assertEqual(digest, hashlib.sha256(data).hexdigest())
        self.assertTrue(url.startswith(self.host.url[:-len("/mcp")]), url)
        self.assertEqual(self.get(self.host, url)[2], data)

    def test_the_call_may_give_another_name_and_type(self):
        file = self.upload(self.host, b"x")
        self.assertEqual(text_of(self.attached(self.host, {"file_id": file})),
                         f"{file} file application/octet-stream 1|")
        answer = self.attached(self.host, {"file_id": file, "filename": "ä b.txt", "content_type": None})
        self.assertEqual(text_of(answer), f"{file} ä b.txt application/octet-stream 1|")

    def test_several_keep_their_order_and_an_empty_one_is_a_file(self):
        first, second = self.upload(self.host, b""), self.upload(self.host, b"2")
        said = text_of(self.attached(self.host, {"file_id": second}, {"file_id": first}))
        self.assertEqual([part.split(" ")[0] for part in said.split("|")[:-1]], [second, first])
        self.assertEqual(text_of(self.attached(self.host, {"file_id": first}, tool="attached_read")), "")

    def test_what_is_wrong_with_attachments_is_said_with_its_place(self):
        file = self.upload(self.host, b"x")
        for value, words in (("file", ["/attachments: must be an array"]),
                             ([{"file_id": "../../etc/passwd"}], ["/attachments/0/file_id"]),
                             ([{"file_id": 5}], ["/attachments/0/file_id"]),
                             ([7], ["/attachments/0: must be an object"]),
                             ([{"file_id": file}, {"file_id": file}], ["/attachments/1/file_id", "twice"]),
                             ([{"file_id": file, "url": "x"}], ["/attachments/0", "unknown member", "url"]),
                             ([{"file_id": file, "filename": "a\u202eb"}], ["/attachments/0/filename"]),
                             ([{"file_id": file, "content_type": "pdf"}], ["/attachments/0/content_type"]),
                             ([{"file_id": f"file_{n}"} for n in range(17)], ["limits.attachments_per_call"])):
            with self.subTest(value):
                self.refused(self.host.call("attached_list", {"attachments": value}), *words)

    def test_null_and_no_files_are_no_attachments(self):
        for value in (None, []):
            self.assertEqual(text_of(self.host.call("attached_list", {"attachments": value})), "")

    def test_a_tool_of_the_host_itself_gets_none(self):
        place = self.place()
        place.skill("greeting", "---\nname: greeting\ndescription: How to greet.\n---\nSay hello.\n")
        host = self.http_host(place)
        file = self.upload(host, b"x")
        self.refused(self.attached(host, {"file_id": file}, tool="Skill", skill="greeting"), "/attachments", "this host itself")

    def test_an_idempotency_key_counts_the_files(self):
        one, other = self.upload(self.host, b"1"), self.upload(self.host, b"2")
        first = self.attached(self.host, {"file_id": one}, tool="attached_read", idempotency_key="k")
        again = self.attached(self.host, {"file_id": one}, tool="attached_read", idempotency_key="k")
        self.assertEqual((text_of(first), text_of(again)), ("1", "1"))
        self.assertTrue(again["result"]["_meta"]["io.toolpost/replayed"])
        self.refused(self.attached(self.host, {"file_id": other}, tool="attached_read", idempotency_key="k"), "other arguments")
        self.assertEqual(self.host.fetch("DELETE", f"/v1/files/{one}")[0], 204)
        replayed = self.attached(self.host, {"file_id": one}, tool="attached_read", idempotency_key="k")
        self.assertEqual(text_of(replayed), "1")  # the kept answer needs no file

    def test_files_are_listed_and_deleted(self):
        files = [self.upload(self.host, bytes([n]), filename=f"{n}.bin") for n in range(3)]
        _, _, listed = self.host.fetch("GET", "/v1/files")
        self.assertEqual({one["file_id"] for one in listed["files"]}, set(files))
        _, _, page = self.host.fetch("GET", "/v1/files?limit=2")
        _, _, rest = self.host.fetch("GET", f"/api/v1/files?limit=2&after={page['files'][-1]['file_id']}")
        self.assertEqual({one["file_id"] for one in page["files"] + rest["files"]}, set(files))
        status, _, shown = self.host.fetch("GET", f"/v1/files/{files[1]}")
        self.assertEqual((status, shown["filename"], shown["bytes"]), (200, "1.bin", 1))
        self.assertEqual(self.get(self.host, shown["download_url"])[2], b"\x01")
        self.assertEqual(self.host.fetch("DELETE", f"/v1/files/{files[1]}")[0], 204)
        self.assertEqual(self.host.fetch("DELETE", f"/v1/files/{files[1]}")[0], 404)
        self.assertEqual(self.host.fetch("GET", f"/v1/files/{files[1]}")[0], 404)
        self.assertEqual(self.get(self.host, shown["download_url"])[0], 404)
        self.refused(self.attached(self.host, {"file_id": files[1]}), files[1])
        wait_until("its contents are gone", lambda: files[1] not in self.stored())

    def test_a_download_is_no_page_of_this_host(self):
        file = self.upload(self.host, b"<script>alert(1)</script>", filename='a"ü.html', content_type="text/html")
        url = self.host.fetch("GET", f"/v1/files/{file}")[2]["download_url"]
        status, headers, data = self.get(self.host, url)
        self.assertEqual((status, data), (200, b"<script>alert(1)</script>"))
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertEqual(headers["Content-Disposition"], "attachment; filename*=UTF-8''a%22%C3%BC.html")
        self.assertEqual(headers.get_all("X-Content-Type-Options"), ["nosniff"])
        self.assertIn("sandbox", headers["Content-Security-Policy"])
        status, headers, data = self.get(self.host, url, "HEAD")
        self.assertEqual((status, headers["Content-Length"], data), (200, "25", b""))


class Opened(FileCase):
    """Files that the plugin reads by a descriptor."""
    ISOLATION = "worker"

    def setUp(self):
        self.host = self.http_host(self.place(config=f'[plugin.services]\nisolation = "{self.ISOLATION}"'))

    def test_a_plugin_opens_a_file_and_keeps_it_open_longer_than_the_host_keeps_it(self):
        data = os.urandom((1 << 20) + 7)
        file = self.upload(self.host, data)
        entry = {"file_id": file}
        self.assertEqual(text_of(self.attached(self.host, entry, tool="opened_mapped", id=file)), f"{len(data)} {fnv(data)}")
        self.assertIn("mode read, close on exec, write EBADF, truncate EINVAL, map to write EACCES",
                      text_of(self.attached(self.host, entry, tool="opened_tried", id=file)))
        if self.ISOLATION == "worker":
            self.assertNotEqual(text_of(self.attached(self.host, entry, tool="opened_again", id=file)), "opened")
        short = self.upload(self.host, b"short")
        self.assertEqual(text_of(self.attached(self.host, {"file_id": short}, tool="opened_kept", id=short)), "kept")
        self.assertEqual(self.host.fetch("DELETE", f"/v1/files/{short}")[0], 204)
        wait_until("its contents are gone", lambda: short not in self.stored())
        self.refused(self.attached(self.host, {"file_id": short}, tool="opened_read", id=short), short)
        self.assertEqual(text_of(self.host.call("opened_later")), "short")

    def test_a_plugin_opens_only_files_of_its_call(self):
        one, other = self.upload(self.host, b"1"), self.upload(self.host, b"2")
        self.refused(self.attached(self.host, {"file_id": one}, tool="opened_read", id=other),
                     f"no attachment of that id; it has {one}")
        self.refused(self.host.call("opened_read", {"id": one}), "no attachment of that id; it has none")

    def test_the_host_keeps_no_descriptors_of_calls_that_ended(self):
        file = self.upload(self.host, b"x")
        folder = pathlib.Path(f"/proc/{self.host.child.pid}/fd")
        for _ in range(5):
            self.attached(self.host, {"file_id": file}, tool="opened_many", id=file, times=64)
            self.attached(self.host, {"file_id": file}, tool="opened_left", id=file, times=64)

        def of_files():
            links = []
            for descriptor in folder.iterdir():
                with contextlib.suppress(FileNotFoundError):
                    links.append(os.readlink(descriptor))
            return [link for link in links if ".files/" in link]

        wait_until("the host has closed all", lambda: not of_files())


class OpenedInline(Opened):
    ISOLATION = "inline"


class SignedUrls(FileCase):
    def setUp(self):
        self.host = self.http_host(self.place())

    def test_only_the_whole_url_of_this_host_for_this_method_and_file_is_good(self):
        made, other = self.presign(self.host), self.presign(self.host)
        url = made["upload_url"]
        flipped = url[:-5] + ("A" if url[-5] != "A" else "B") + url[-4:]
        for bad in (url.replace(made["file_id"], other["file_id"]), flipped, url.split("?")[0],
                    url.split("=")[0] + "="):
            with self.subTest(bad):
                status, answer = self.put(self.host, bad, b"x")
                self.assertEqual((status, answer["type"]), (403, problem("denied")))
        self.assertEqual(self.get(self.host, url)[0], 403)  # an upload URL downloads nothing
        self.assertEqual(self.get(self.host, url, "DELETE")[0], 405)
        self.assertEqual(self.put(self.host, url + "&x=1", b"x")[0], 422)
        self.assertEqual(self.put(self.host, url, b"x")[0], 201)
        status, answer = self.put(self.host, url, b"y")
        self.assertEqual((status, answer["type"]), (409, problem("conflict")))
        download = self.host.fetch("GET", f"/v1/files/{made['file_id']}")[2]["download_url"]
        self.assertEqual(self.put(self.host, download, b"z")[0], 403)
        self.assertEqual(self.get(self.host, download)[2], b"x")

    def test_it_survives_the_host(self):
        place = self.place()
        host = self.http_host(place)
        url = self.presign(host)["upload_url"]
        host.stop()
        again = self.http_host(place)
        self.assertEqual(self.put(again, url, b"later")[0], 201)

    def test_size_and_digest_that_were_said_are_checked(self):
        url = self.presign(self.host, {"bytes": 3})["upload_url"]
        status, answer = self.put(self.host, url, b"four")
        self.assertEqual(status, 422, answer)
        self.assertEqual(self.put(self.host, url, b"abc")[0], 201)
        wrong = self.presign(self.host, {"sha256": hashlib.sha256(b"abc").hexdigest()})["upload_url"]
        status, answer = self.put(self.host, wrong, b"abd")
        self.assertEqual(status, 422)
        self.assertIn("SHA-256", answer["detail"])
        wait_until("nothing of it is left", lambda: len(self.stored()) == 1)
        self.assertEqual(self.put(self.host, wrong, b"abc")[0], 201)  # nothing of the wrong one was kept

    def test_what_is_wrong_with_a_request_for_a_url_is_said(self):
        for body, pointer in (({"filename": ""}, "/filename"), ({"filename": "a\nb"}, "/filename"),
                              ({"filename": "x" * 256}, "/filename"), ({"content_type": "x"}, "/content_type"),
                              ({"sha256": "ABC"}, "/sha256"), ({"bytes": "1"}, "/bytes"), ({"name": "x"}, "/name")):
            with self.subTest(body):
                answer = self.presign(self.host, body, status=422)
                self.assertEqual(answer["pointer"], pointer)
        self.presign(self.host, {"bytes": 1 << 40}, status=413)
        made = self.presign(self.host)
        self.assertRegex(made["file_id"], r"^file_[\w-]{24}$")
        self.assertEqual((made["method"], made["max_bytes"]), ("PUT", 2 << 30))

    def test_a_body_without_a_length_is_refused(self):
        connection = self.host.connect()
        connection.request("PUT", target_of(self.presign(self.host)["upload_url"]), iter([b"x"]), encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})
        self.assertEqual(connection.getresponse().status, 411)
        connection.close()
        for version in ("1.0", "1.1"):  # whatever follows the head is no body
            with self.subTest(version):
                made = self.presign(self.host)
                connection = self.host.connect()
                connection.connect()
                connection.sock.sendall(f"PUT {target_of(made['upload_url'])} HTTP/{version}\r\nHost: localhost\r\n\r\n".encode())
                self.assertEqual(connection.sock.recv(12), b"HTTP/1.1 411")
                connection.close()
                self.assertEqual(self.put(self.host, made["upload_url"], b"x")[0], 201)

    def test_a_body_that_is_not_the_whole_file_as_it_is_is_refused(self):
        url = self.presign(self.host)["upload_url"]
        for headers, wanted, kind in (({"Content-Range": "bytes 0-9/20"}, 400, "bad-request"),
                                      ({"Content-Range": ""}, 400, "bad-request"),
                                      ({"Content-Encoding": "gzip"}, 415, "wrong-content-type"),
                                      ({"Content-Encoding": "identity, gzip"}, 415, "wrong-content-type")):
            with self.subTest(headers):
                status, answer = self.put(self.host, url, b"0123456789", headers)
                self.assertEqual((status, answer["type"]), (wanted, problem(kind)))
        self.assertEqual(self.put(self.host, url, b"0123456789", {"Content-Encoding": "Identity"})[0], 201)

    def test_other_paths_stay_within_the_limit_on_bodies(self):
        for path in ("/v1/files/presign-upload", "/v1/files/x/content/y", "/mcp"):
            with self.subTest(path):
                connection = self.host.connect()
                connection.putrequest("PUT" if "content" in path else "POST", path)
                connection.putheader("Content-Length", str(5 << 20))
                connection.endheaders()
                self.assertEqual(connection.getresponse().status, 413)
                connection.close()


class Owners(FileCase):
    def test_a_file_is_for_its_principal_alone_and_its_urls_end_with_the_key(self):
        place = self.place()
        anna, ben = (self.key(place, name) for name in ("anna", "ben"))
        host = self.http_host(place)
        file = self.upload(host, b"anna's", anna)
        self.assertEqual(text_of(self.attached(host, {"file_id": file}, tool="attached_read", key=anna)), "anna's")
        texts = []
        for id in (file, "file_unknown"):
            answer = self.attached(host, {"file_id": id}, key=ben)
            self.refused(answer, id, "/attachments")
            texts.append(text_of(answer).replace(id, "ID"))
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(host.fetch("GET", f"/v1/files/{file}", key=ben)[0], 404)
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{file}", key=ben)[0], 404)
        self.assertEqual(host.fetch("GET", "/v1/files", key=ben)[2], {"files": []})
        self.assertEqual(host.fetch("POST", "/v1/files/presign-upload", {}, "tp_nobody_xxxxxxxxxxxxxxxxxxxx")[0], 401)
        download = host.fetch("GET", f"/v1/files/{file}", key=anna)[2]["download_url"]
        upload = self.presign(host, key=anna)["upload_url"]
        self.assertEqual(self.get(host, download)[0], 200)
        keys = json.loads(run_toolpost(place, "key", "list", "--json", "--config", place.config).stdout)
        listed = keys["keys"] if isinstance(keys, dict) else keys
        own = [key["id"] for key in listed if key["principal"] == "anna"]
        for id in own:
            self.assertEqual(run_toolpost(place, "key", "revoke", id, "--config", place.config).returncode, 0)
        wait_until("the URL ends with its key", lambda: self.get(host, download)[0] == 403)
        self.assertEqual(self.put(host, upload, b"x")[0], 403)
        anna = self.key(place, "anna")
        wait_until("the new key is known", lambda: host.fetch("GET", "/v1/files", key=anna)[0] == 200)
        self.assertEqual(self.get(host, download)[0], 403)  # what was leaked with the old key stays invalid
        self.assertEqual(self.put(host, upload, b"x")[0], 403)
        fresh = host.fetch("GET", f"/v1/files/{file}", key=anna)[2]["download_url"]
        self.assertEqual(self.get(host, fresh)[2], b"anna's")

    def test_a_url_is_valid_as_long_as_a_key_that_was_there_when_it_was_made(self):
        place = self.place()
        first, second = (self.key(place, "anna") for _ in "12")
        host = self.http_host(place)
        url = host.fetch("GET", f"/v1/files/{self.upload(host, b'x', first)}", key=first)[2]["download_url"]
        ids = [key["id"] for key in json.loads(run_toolpost(place, "key", "list", "--json", "--config", place.config).stdout)]
        of_second = next(id for id in ids if id in second)
        [of_first] = set(ids) - {of_second}
        self.assertEqual(run_toolpost(place, "key", "revoke", of_first, "--config", place.config).returncode, 0)
        wait_until("the first key is gone", lambda: host.fetch("GET", "/v1/files", key=first)[0] == 401)
        self.assertEqual(self.get(host, url)[0], 200)
        self.assertEqual(run_toolpost(place, "key", "revoke", of_second, "--config", place.config).returncode, 0)
        wait_until("the second key is gone", lambda: host.fetch("GET", "/v1/files", key=second)[0] == 401)
        self.assertEqual(self.get(host, url)[0], 403)

    def test_quotas_are_each_principals_own(self):
        place = self.place(config="[limits]\nfiles_per_principal = 2\nfile_bytes = 100\nfile_bytes_per_principal = 120")
        anna, ben = (self.key(place, name) for name in ("anna", "ben"))
        host = self.http_host(place)
        status, answer = self.put(host, self.presign(host, key=anna)["upload_url"], b"x" * 101)
        self.assertEqual(status, 413)
        self.assertIn("limits.file_bytes", answer["detail"])
        first = self.upload(host, b"x" * 100, anna)
        status, answer = self.put(host, self.presign(host, key=anna)["upload_url"], b"x" * 21)
        self.assertEqual(status, 429)
        self.assertIn("limits.file_bytes_per_principal", answer["detail"])
        self.upload(host, b"x", anna)
        status, answer = self.put(host, self.presign(host, key=anna)["upload_url"], b"x")
        self.assertEqual(status, 429)
        self.assertIn("limits.files_per_principal", answer["detail"])
        self.upload(host, b"x" * 100, ben)
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{first}", key=anna)[0], 204)
        self.upload(host, b"x" * 100, anna)
        self.assertEqual(len(self.stored()), 3)

    def test_an_empty_file_is_refused_like_any_other(self):
        host = self.http_host(self.place(config="[limits]\nfiles_per_principal = 1"))
        made = self.presign(host)
        url = made["upload_url"]
        self.assertEqual(self.put(host, url, b"")[0], 201)
        status, answer = self.put(host, url, b"")
        self.assertEqual(status, 409, answer)
        self.assertIn("uploaded already", answer["detail"])
        status, answer = self.put(host, self.presign(host)["upload_url"], b"")
        self.assertEqual(status, 429, answer)
        self.assertIn("limits.files_per_principal", answer["detail"])
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{made['file_id']}")[0], 204)
        status, answer = self.put(host, url, b"other")
        self.assertEqual(status, 409, "the URL brought a removed file back with other contents")
        self.assertEqual(host.fetch("GET", f"/v1/files/{made['file_id']}")[0], 404)

    def test_an_announced_length_keeps_no_other_principal_out(self):
        place = self.place(config="[limits]\nfile_bytes = 200\nfiles_bytes = 300\nuploads_per_principal = 2")
        anna, ben = (self.key(place, name) for name in ("anna", "ben"))
        host = self.http_host(place)
        for _ in range(2):
            peer = socket.create_connection(("127.0.0.1", host.port), timeout=30)
            self.addCleanup(peer.close)
            peer.sendall(f"PUT {target_of(self.presign(host, key=anna)['upload_url'])} HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Length: 200\r\n\r\n".encode())
        url = self.presign(host, key=anna)["upload_url"]
        wait_until("both have begun", lambda: self.put(host, url, b"")[0] == 429)
        self.upload(host, b"x" * 150, ben)

    def test_uploads_at_once_are_limited_and_one_that_ends_makes_room(self):
        host = self.http_host(self.place(config="[limits]\nuploads_per_principal = 1"))
        slow = self.begin(host)
        url = self.presign(host)["upload_url"]
        status, answer = self.put(host, url, b"x")
        self.assertEqual(status, 429)
        self.assertIn("limits.uploads_per_principal", answer["detail"])
        slow.close()
        wait_until("the first one has ended", lambda: self.put(host, url, b"x")[0] in (201, 409))
        wait_until("nothing of it is left", lambda: len(self.stored()) == 1)

    def begin(self, host, length=1 << 20, first=b"first bytes"):
        """An upload that has begun: its part is in the folder."""
        made = self.presign(host)
        peer = socket.create_connection(("127.0.0.1", host.port), timeout=30)
        peer.sendall(f"PUT {target_of(made['upload_url'])} HTTP/1.1\r\nHost: localhost\r\n"
                     f"Content-Length: {length}\r\n\r\n".encode() + first)
        wait_until("it has begun", lambda: any(name.startswith(made["file_id"]) for name in self.stored()))
        return peer

    def test_plain_calls_go_on_beside_slow_uploads(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[1], max(before[0], 4 * SLOW)), before[1]))  # the host's, too
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        host = self.http_host(self.place(config=f"[limits]\nuploads_per_principal = {SLOW}\nconnections = {SLOW + 100}\n"
                                                f"connections_per_address = {SLOW + 100}\nbody_timeout_s = 600"))
        slow = [self.begin(host) for _ in range(SLOW)]
        for peer in slow:
            peer.sendall(b"a few more bytes")
            if len(slow) - slow.index(peer) <= 20:
                self.assertEqual(text_of(host.call("attached_list")), "")
        for peer in slow:
            peer.close()
        wait_until("nothing of them is left", lambda: self.stored() == [])

    def test_an_upload_that_stands_still_is_ended_and_one_that_goes_on_is_not(self):
        host = self.http_host(self.place(config="[limits]\nbody_timeout_s = 3\nrequest_timeout_s = 1"))
        peer = self.begin(host, length=1000, first=b"x")
        goes_on = self.begin(host, length=18, first=b"x")
        ended = False
        for _ in range(17):  # longer than both: body_timeout_s is for a pause, request_timeout_s for requests in memory
            peer.settimeout(0.2)
            try:
                ended = ended or b"408" in peer.recv(100)
            except TimeoutError:
                pass
            goes_on.sendall(b"y")
        self.assertIn(b" 201 ", goes_on.recv(1000))
        peer.settimeout(30)
        self.assertTrue(ended or b" 408 " in peer.recv(1000))
        peer.close()
        goes_on.close()
        wait_until("only the whole one is kept", lambda: len(self.stored()) == 1)


class Returned(FileCase):
    """Large blobs of results as links to files of the caller."""
    CONFIG = "[files]\nresult_links = true\n{more}\n[limits]\ninline_blob_bytes = 1000\n{limits}\n{sections}"

    def host_with(self, more="", limits="", sections=""):
        return self.http_host(self.place(config=self.CONFIG.format(more=more, limits=limits, sections=sections)))

    def draw(self, host, headers=None, **arguments):
        return host.request("tools/call", {"name": "draw", "arguments": arguments}, "modern", headers=headers)

    def drawn(self, bytes):
        return (bytearray(range(251)) * (bytes // 251 + 1))[:bytes]

    def link_in(self, blocks, bytes):
        """The link in place of a blob. What it leads to is checked."""
        self.assertEqual([block["type"] for block in blocks], ["text", "image", "resource_link"])
        link = blocks[2]
        self.assertEqual(link["size"], bytes)
        about = link["_meta"]["io.toolpost/file"]
        self.assertEqual(about["sha256"], hashlib.sha256(self.drawn(bytes)).hexdigest())
        return link, about

    def test_a_large_blob_is_a_link_that_its_caller_can_download_until_it_expires(self):
        host = self.host_with("url_s = 4")
        result = self.draw(host, bytes=300_000)["result"]
        link, about = self.link_in(result["content"], 300_000)
        self.assertEqual((link["name"], link["mimeType"]), ("draw.png", "image/png"))
        status, headers, data = self.get(host, link["uri"])
        self.assertEqual((status, data), (200, self.drawn(300_000)))
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertEqual(headers["Content-Disposition"], "attachment; filename*=UTF-8''draw.png")
        wait_until("the URL has expired", lambda: self.get(host, link["uri"])[0] == 403)
        shown = host.fetch("GET", f"/v1/files/{about['file_id']}")[2]  # the file is kept longer than its URL
        self.assertEqual(self.get(host, shown["download_url"])[2], self.drawn(300_000))
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{about['file_id']}")[0], 204)
        wait_until("its contents are gone", lambda: self.stored() == [])

    def test_only_larger_blobs_and_of_each_kind(self):
        host = self.host_with()
        for bytes, kind in ((1000, "image"), (1001, "resource_link"), (0, "image")):
            self.assertEqual(self.draw(host, bytes=bytes)["result"]["content"][2]["type"], kind, bytes)
        sound = self.draw(host, bytes=5000, type="audio/wav")["result"]["content"][2]
        self.assertEqual((sound["type"], sound["name"]), ("resource_link", "draw.wav"))
        resource = self.draw(host, bytes=5000, type="x/y", uri="plan://a/b/c.dwg")["result"]["content"][2]
        self.assertEqual((resource["name"], resource["mimeType"]), ("c.dwg", "x/y"))
        self.assertEqual(resource["_meta"]["io.toolpost/file"]["resource"], "plan://a/b/c.dwg")
        odd = self.draw(host, bytes=5000, type="no type", uri="plan://a/")["result"]["content"][2]
        self.assertEqual((odd["name"], odd["mimeType"]), ("draw", "application/octet-stream"))
        plain = self.http_host(self.place(config="[limits]\ninline_blob_bytes = 1000"))
        self.assertEqual(self.draw(plain, bytes=5000)["result"]["content"][2]["type"], "image")  # not by default

    def test_a_client_of_a_version_without_links_gets_it_in_words(self):
        host = self.host_with()
        connection = host.connect()
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        accept = {"Accept": "application/json, text/event-stream"}
        _, headers, _ = host.post(hello, accept, connection=connection)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "draw", "arguments": {"bytes": 5000}}}
        _, _, text = host.post(call, accept | {"Mcp-Session-Id": headers["mcp-session-id"]}, connection=connection)
        connection.close()
        block = last_message(text)["result"]["content"][2]
        self.assertEqual(block["type"], "text")
        [url] = re.findall(r"<(http\S+)>", block["text"])
        self.assertEqual(self.get(host, url)[2], self.drawn(5000))

    def test_the_record_of_a_detached_call_and_a_kept_answer_have_links_and_no_blob(self):
        host = self.host_with()
        session = host.fetch("POST", "/v1/sessions", {})[2]["id"]
        path = f"/v1/tools/request/{session}"
        made = host.fetch("POST", path, {"name": "draw", "arguments": {"bytes": 4_000_000}})[2]
        record = host.fetch("GET", f"{path}/{made['id']}?wait=30")[2]
        self.assertEqual(record["state"], "COMPLETE", record)
        link, _ = self.link_in(record["result"]["content"], 4_000_000)
        self.assertEqual(self.get(host, link["uri"])[2], self.drawn(4_000_000))
        keyed = [self.draw(host, bytes=5000, idempotency_key="k")["result"]["content"] for _ in "12"]
        about = [self.link_in(content, 5000)[1]["file_id"] for content in keyed]
        self.assertEqual(about[0], about[1])
        self.assertEqual(len(self.stored()), 2)
        with sqlite3.connect(self.store) as database:
            kept = [size for (size,) in database.execute("SELECT length(result) FROM call_record")]
            kept += [size for (size,) in database.execute("SELECT length(content) FROM idempotency")]
        database.close()
        self.assertEqual([size for size in kept if size > 3000], [], kept)

    def test_a_repeated_detached_call_has_a_new_url_and_says_when_its_file_is_gone(self):
        host = self.host_with("url_s = 4")
        session = host.fetch("POST", "/v1/sessions", {})[2]["id"]
        path = f"/v1/tools/request/{session}"

        def repeat():
            status, _, record = host.fetch("POST", path, {"name": "draw", "arguments": {"bytes": 5000}, "idempotency_key": "k"})
            self.assertEqual(status, 202, record)
            return record
        made = repeat()
        record = host.fetch("GET", f"{path}/{made['id']}?wait=30")[2]
        link, about = self.link_in(record["result"]["content"], 5000)
        wait_until("the URL has expired", lambda: self.get(host, link["uri"])[0] == 403)
        record = repeat()
        self.assertEqual(record["id"], made["id"])
        renewed, again = self.link_in(record["result"]["content"], 5000)
        self.assertEqual(self.get(host, renewed["uri"])[2], self.drawn(5000))
        self.assertEqual(again["file_id"], about["file_id"])
        self.assertGreater(again["expires"], about["expires"])
        self.assertIn(renewed["uri"], json.dumps(record["tool_result"]))
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{about['file_id']}")[0], 204)
        record = repeat()
        self.assertEqual(record["id"], made["id"])
        self.assertEqual([block["type"] for block in record["result"]["content"]], ["text", "image", "text"])
        self.assertIn(about["file_id"], record["result"]["content"][2]["text"])

    def test_a_kept_answer_has_a_new_url_and_says_when_its_file_is_gone(self):
        host = self.host_with("url_s = 4")
        link, about = self.link_in(self.draw(host, bytes=5000, idempotency_key="k")["result"]["content"], 5000)
        wait_until("the URL has expired", lambda: self.get(host, link["uri"])[0] == 403)
        renewed, again = self.link_in(self.draw(host, bytes=5000, idempotency_key="k")["result"]["content"], 5000)
        self.assertEqual(self.get(host, renewed["uri"])[2], self.drawn(5000))
        self.assertEqual(again["file_id"], about["file_id"])
        self.assertGreater(again["expires"], about["expires"])
        self.assertIn(again["expires"], renewed["description"])
        self.assertEqual(host.fetch("DELETE", f"/v1/files/{about['file_id']}")[0], 204)
        answer = self.draw(host, bytes=5000, idempotency_key="k")["result"]
        self.assertTrue(answer["_meta"]["io.toolpost/replayed"])
        self.assertEqual([block["type"] for block in answer["content"]], ["text", "image", "text"])
        self.assertIn(about["file_id"], answer["content"][2]["text"])
        wait_until("its contents are gone", lambda: self.stored() == [])

    def test_without_room_the_blob_stays_in_its_result(self):
        host = self.host_with(limits="files_per_principal = 1")
        kinds = [self.draw(host, bytes=5000)["result"]["content"][2]["type"] for _ in "12"]
        self.assertEqual(kinds, ["resource_link", "image"])
        self.assertEqual(len(self.stored()), 1)
        _, _, page = host.fetch("GET", "/metrics")
        self.assertIn('toolpost_refused_total{limit="limits.files_per_principal"} 1', page)

    def test_each_file_belongs_to_the_caller_and_its_url_ends_with_the_key(self):
        place = self.place(config=self.CONFIG.format(more="", limits="", sections=""))
        anna, ben = (self.key(place, name) for name in ("anna", "ben"))
        host = self.http_host(place)
        answer = self.draw(host, {"Authorization": f"Bearer {anna}"}, bytes=5000)
        link, about = self.link_in(answer["result"]["content"], 5000)
        self.assertEqual(host.fetch("GET", f"/v1/files/{about['file_id']}", key=ben)[0], 404)
        self.assertEqual(host.fetch("GET", f"/v1/files/{about['file_id']}", key=anna)[0], 200)
        for key in json.loads(run_toolpost(place, "key", "list", "--json", "--config", place.config).stdout):
            if key["principal"] == "anna":
                run_toolpost(place, "key", "revoke", key["id"], "--config", place.config)
        wait_until("the URL ends with its key", lambda: self.get(host, link["uri"])[0] == 403)
        self.assertNotIn("token=", (place.audit.read_text()))


class Ends(FileCase):
    def test_an_expired_file_is_removed_and_looks_like_an_unknown_one(self):
        host = self.http_host(self.place(config="[files]\nkeep_s = 3\nurl_s = 3"))
        late = self.presign(host)["upload_url"]
        file = self.upload(host, b"short")
        wait_until("the file is gone", lambda: self.stored() == [])
        self.refused(self.attached(host, {"file_id": file}), file, "/attachments")
        wait_until("the URL has expired", lambda: self.put(host, late, b"x")[0] == 403)
        self.assertIn("expired", self.put(host, late, b"x")[1]["detail"])

    def test_without_a_store_there_are_no_files(self):
        host = self.http_host(self.place(config='[store]\nfile = ""'))
        self.presign(host, status=404)
        self.refused(self.attached(host, {"file_id": "file_x"}), "store.file")

    def test_a_full_disk_is_said_and_nothing_is_left(self):
        place = self.place()
        host = self.http_host(place)
        self.upload(host, b"before")
        limits = resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        url = self.presign(host)["upload_url"]
        status, answer = self.put(host, url, b"x" * (3 << 20))
        self.assertEqual((status, answer["type"]), (503, problem("unavailable")))
        self.assertIn("nothing of this file is kept", answer["detail"])
        wait_until("nothing is left", lambda: len(self.stored()) == 1)
        resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE, limits)
        self.assertEqual(self.put(host, url, b"x" * (3 << 20))[0], 201)

    @unittest.skipIf(re.search(r"(?m)^TP_SANITIZE:\w+=\S", (BUILD / "CMakeCache.txt").read_text()), "sanitizers hold on to memory")
    def test_a_large_file_is_never_whole_in_memory(self):
        host = self.http_host(self.place())
        peak = lambda: int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{host.child.pid}/status").read_text()).group(1)) << 10
        self.upload(host, b"warm" * 1000)
        block = os.urandom(1 << 20)
        digest = hashlib.sha256()
        for _ in range(MIB):
            digest.update(block)
        pathlib.Path(f"/proc/{host.child.pid}/clear_refs").write_text("5")
        before = peak()
        made = self.presign(host, {"bytes": MIB << 20, "sha256": digest.hexdigest()})
        connection = host.connect()
        connection.request("PUT", target_of(made["upload_url"]), (block for _ in range(MIB)),
                           {"Content-Length": str(MIB << 20)})
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["bytes"]), (201, MIB << 20))
        connection.close()
        url = host.fetch("GET", f"/v1/files/{made['file_id']}")[2]["download_url"]
        connection.request("GET", target_of(url))
        answer, seen = connection.getresponse(), hashlib.sha256()
        while piece := answer.read(1 << 20):
            seen.update(piece)
        connection.close()
        self.assertEqual(seen.hexdigest(), digest.hexdigest())
        self.assertLess(peak() - before, MOST_GROWTH)

    def test_a_killed_host_keeps_what_it_acknowledged_and_nothing_else(self):
        place = self.place(config="[limits]\nfiles_per_principal = 1000000")
        kept = {}
        for round in range(KILLS):
            host = self.http_host(place)
            stopped = threading.Event()
            workers = [threading.Thread(target=self.upload_until, args=(host, stopped, kept)) for _ in range(4)]
            for worker in workers:
                worker.start()
            goal = len(kept) + random.randint(3, 12)
            try:
                wait_until("some are acknowledged", lambda: len(kept) >= goal)
            finally:
                host.child.send_signal(signal.SIGKILL)
                stopped.set()
                for worker in workers:
                    worker.join()
            host.wait()
        host = self.http_host(place)
        with sqlite3.connect(self.store) as database:
            rows = {id for (id,) in database.execute("SELECT id FROM file")}
        database.close()
        self.assertLessEqual(set(kept), rows)
        wait_until("what was left over is gone", lambda: set(self.stored()) == rows)
        for id in rows:
            digest = hashlib.sha256((self.folder / id).read_bytes()).hexdigest()
            self.assertEqual(digest, kept.get(id, digest))
        id = next(iter(kept))
        self.assertIn(id, text_of(self.attached(host, {"file_id": id})))

    def upload_until(self, host, stopped, kept):
        while not stopped.is_set():
            data = os.urandom(random.randint(0, 400_000))
            try:
                made = self.presign(host)
                status, _ = self.put(host, made["upload_url"], data)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                continue
            if status == 201:
                kept[made["file_id"]] = hashlib.sha256(data).hexdigest()


class Reviewed(FileCase):
    def test_a_reviewer_sees_the_files_and_an_approval_is_for_them_alone(self):
        place = self.place(config="[approval]\nwait_s = 0\n[[rule]]\ntool = \"attached_read\"\nbehavior = \"ask\"")
        admin = self.key(place, "ruth", "--scope", "call", "--scope", "approve")
        host = self.http_host(place)
        one, other = (self.upload(host, data, admin, filename=f"{data.decode()}.txt") for data in (b"one", b"two"))
        read = lambda file: self.attached(host, {"file_id": file}, tool="attached_read", key=admin)
        self.refused(read(one), "approval")
        pending = host.fetch("GET", "/v1/approvals", key=admin)[2]["approvals"]
        self.assertEqual(len(pending), 1)
        for word in ("one.txt", one, hashlib.sha256(b"one").hexdigest()):
            self.assertIn(word, pending[0]["reason"])
        status, _, answer = host.fetch("POST", f"/v1/approvals/{pending[0]['id']}",
                                       {"decision": "approve", "digest": pending[0]["digest"]}, admin)
        self.assertEqual(status, 200, answer)
        self.refused(read(other), "approval")
        self.assertEqual(text_of(read(one)), "one")


if __name__ == "__main__":
    unittest.main()
