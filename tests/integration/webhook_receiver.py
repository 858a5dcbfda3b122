"""A receiver of webhooks on this machine: keeps what it got, and answers as a test says."""
import base64
import hashlib
import hmac
import http.server
import json
import threading


def signature(secret, headers, body):
    """The signature of Standard Webhooks, from its description."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


class Delivery:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.event = json.loads(body)
        self.id, self.type, self.data = headers["webhook-id"], self.event["type"], self.event["data"]

    def is_signed_by(self, secret):
        return signature(secret, self.headers, self.body) in self.headers["webhook-signature"].split(" ")


class Receiver:
    """`answers`: what a path answers, (status, headers, body) or a function of the handler; 204 elsewhere."""

    def __init__(self, port=0):
        self.answers, self.got, self.lock = {}, [], threading.Lock()
        self.released = threading.Event()  # ends those that hang
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.lock:
                    receiver.got.append(Delivery(self.path, self.headers, body))
                    answer = receiver.answers.get(self.path, (204, {}, b""))
                if callable(answer):
                    return answer(self)
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # the host may close a connection at any time

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def hang(self, handler):
        self.released.wait()
        handler.close_connection = True

    def flood(self, handler):
        """100 MB back."""
        handler.send_response(200)
        handler.send_header("Content-Length", str(100 << 20))
        handler.end_headers()
        handler.close_connection = True
        self.flooded = 0
        try:
            for _ in range(1600):
                handler.wfile.write(bytes(64 << 10))
                self.flooded += 64 << 10
        except (BrokenPipeError, ConnectionResetError):
            pass

    def of(self, path, kind=None):
        with self.lock:
            return [one for one in self.got if one.path == path and kind in (None, one.type)]

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
