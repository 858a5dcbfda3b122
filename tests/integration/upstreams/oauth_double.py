"""An MCP server over HTTP that wants access tokens, inside a test; and an authorization server that lies as the test says.

    ProtectedDouble(kind)          as http_double.HttpDouble; `admits(token)` says which scopes a token has, or None
    LyingIssuer()                  its metadata and answers are members that the test changes
"""
import http.server
import json
import threading
import urllib.parse

from upstreams.http_double import Handler, HttpDouble


class Guarded(Handler):
    """Asks for a token at each request, and for the scope tools:write at `act`."""

    def body(self):
        return self.sent

    def do_POST(self):
        self.sent = super().body()
        if self.path == "/register":
            return self.json({"client_id": "made"}, 201)
        if self.admitted():
            super().do_POST()
        return None

    def do_DELETE(self):
        if self.admitted():
            super().do_DELETE()

    def do_GET(self):
        if self.path.startswith("/.well-known/"):
            self.of.looked.append(self.path)
            found = self.of.documents.get(self.path)
            return self.json(found) if found else self.reply(404)
        if self.admitted():
            super().do_GET()
        return None

    def admitted(self):
        given = self.headers.get("Authorization", "")
        self.of.tokens.append(given)
        scopes = self.of.admits(given.removeprefix("Bearer ")) if given.startswith("Bearer ") else None
        if scopes is None:
            self.reply(401, b"", WWW_Authenticate=self.of.challenge) if self.of.challenge else self.reply(401)
            return False
        if self.command == "POST" and b'"act"' in self.sent and self.of.refusal:
            self.json({"jsonrpc": "2.0", "id": json.loads(self.sent)["id"], "error": self.of.refusal}, 403)
            return False
        if self.command == "POST" and b'"act"' in self.sent and self.of.invented:
            scope = " ".join(f"scope-{self.of.invented}-{i}" for i in range(60))
            self.of.invented += 1
            self.reply(403, b"", WWW_Authenticate=f'Bearer error="insufficient_scope", scope="{scope}"')
            return False
        if self.command == "POST" and b'"act"' in self.sent and "tools:write" not in scopes:
            metadata = f'resource_metadata="{self.of.origin}/.well-known/oauth-protected-resource/mcp"'
            self.reply(403, b"", WWW_Authenticate=f'Bearer error="insufficient_scope", scope="tools:write", {metadata}')
            return False
        return True


class ProtectedDouble(HttpDouble):
    def __init__(self, kind="modern", port=0):
        self.documents, self.looked, self.tokens = {}, [], []
        self.admits = lambda _: None
        self.refusal, self.invented = None, 0  # of `act`: an error with status 403; scopes that grow
        super().__init__(kind, port)
        self.server.RequestHandlerClass = type("Of", (Guarded,), {"of": self})
        self.origin = f"http://127.0.0.1:{self.port}"
        self.challenge = f'Bearer resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp", scope="tools:read"'

    def describe(self, issuer, **more):
        self.documents["/.well-known/oauth-protected-resource/mcp"] = {
            "resource": self.url, "authorization_servers": [issuer], "scopes_supported": ["tools:read"], **more}


class LyingIssuer:
    def __init__(self):
        double = self
        self.tokens = {"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 600}
        self.status, self.asked, self.paths = 200, [], []

        class Answers(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, status, body, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                text = json.dumps(body).encode()
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                double.paths.append(self.path)
                if double.redirect:
                    return self.answer(302, {}, Location=double.redirect)
                known = self.path == "/.well-known/oauth-authorization-server"
                return self.answer(200 if known else 404, double.metadata if known else {})

            def do_POST(self):
                double.paths.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = dict(urllib.parse.parse_qsl(body)) if self.path in ("/token", "/revoke") else body
                double.asked.append(form)
                if self.path == "/revoke":
                    return self.answer(200, {})
                if self.path == "/token" and form.get("grant_type") == "refresh_token":
                    double.refreshing.set()
                    double.go_on.wait()
                    double.refreshes += 1
                    return self.answer(200, {**double.tokens, "access_token": f"renewed-access-{double.refreshes}",
                                             "refresh_token": f"renewed-refresh-{double.refreshes}"})
                if self.path == "/register":
                    return self.answer(201, {"client_id": "made", "redirect_uris": []})
                return self.answer(double.status, double.tokens)

        self.redirect = None
        self.refreshes = 0
        self.refreshing, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.metadata = {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register", "revocation_endpoint": f"{self.url}/revoke", "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def sent_to_token(self, grant):
        return [form for form in self.asked if isinstance(form, dict) and form.get("grant_type") == grant]

    def revoked(self):
        return [form["token"] for form in self.asked if isinstance(form, dict) and "token_type_hint" in form]

    def close(self):
        self.go_on.set()
        self.server.shutdown()
        self.server.server_close()
