#!/usr/bin/env python3
"""A receiver for the connector custom: prints each message and answers with its verdict.

Usage: custom-receiver.py PORT SECRET-FILE

PORT 0 selects any free port. The first line of output is the port.
"""
import hmac, http.server, json, sys, threading

SECRET = open(sys.argv[2]).readline().strip()
lock = threading.Lock()
seen = {}  # Final verdicts, keyed by id, so that a repeated message is not sent again.


def deliver(message, batch):
    """Sends one message and returns its verdict. Replace this function with your own channel."""
    token = message["token"]
    if token == "connection-test" or token == "0" * 64 or token.startswith("gone"):
        return {"verdict": "tokenDead"}
    print(batch["bundleId"], token, json.dumps(message["payload"]), flush=True)
    return {"verdict": "accepted"}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {SECRET}".encode()):
            return self.answer(401, {})
        batch = json.loads(body)
        with lock:
            self.answer(200, {"verdicts": [self.verdict(message, batch) for message in batch["messages"]]})

    def verdict(self, message, batch):
        verdict = seen.get(message["id"]) or {"id": message["id"], **deliver(message, batch)}
        if verdict["verdict"] in ("accepted", "tokenDead", "refused"):
            seen[message["id"]] = verdict
        return verdict

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()
