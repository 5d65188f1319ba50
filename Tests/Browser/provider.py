"""An OpenID Connect provider on a free port of this machine, which lets a person choose a name."""

import base64
import hashlib
import json
import secrets
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT = "console"
NAMES = ["mara", "stranger"]


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    """As a context, it answers until the end."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="pushmta-provider.")
        self.key = Path(self.folder.name) / "key.pem"
        self.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.key)
        modulus = self.openssl("rsa", "-in", self.key, "-noout", "-modulus").decode().strip().split("=")[1]
        self.modulus = bytes.fromhex(modulus)
        # The requests of browsers by the code that they received, each with the person's name.
        self.grants: dict[str, tuple[dict[str, str], str]] = {}
        # The values of the parameter `prompt`.
        self.prompts: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Provider":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    @property
    def element(self) -> str:
        """The element of serverConf.xml that configures this provider."""
        return f'<openId issuer="{self.issuer}" clientId="{CLIENT}" label="the shop"/>'

    @staticmethod
    def openssl(*arguments: str | Path, data: bytes = b"") -> bytes:
        return subprocess.run(["openssl", *map(str, arguments)], input=data, check=True, capture_output=True).stdout

    # Answers

    def configuration(self) -> dict:
        return {"issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys"}

    def keys(self) -> dict:
        return {"keys": [{"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig", "n": encoded(self.modulus),
                          "e": "AQAB"}]}

    def page(self, fields: dict[str, str]) -> str:
        assert fields["client_id"] == CLIENT and fields["code_challenge_method"] == "S256", fields
        self.prompts.append(fields.get("prompt", ""))
        links = []
        for name in NAMES:
            code = secrets.token_urlsafe(24)
            self.grants[code] = (fields, name)
            back = f"{fields['redirect_uri']}?{urlencode({'code': code, 'state': fields['state']})}"
            links.append(f'<p><a href="{back.replace("&", "&amp;")}">Continue as {name}</a></p>')
        return ('<!doctype html><html lang="en"><head><title>Provider</title><link rel="icon" href="data:,"></head>'
                f"<body><h1>The provider</h1>{''.join(links)}</body></html>")

    def token(self, form: dict[str, str]) -> tuple[int, dict]:
        fields, name = self.grants.pop(form.get("code", ""), ({}, ""))
        challenge = encoded(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if not fields or fields["code_challenge"] != challenge or fields["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": f"id of {name}", "aud": CLIENT, "exp": now + 300, "iat": now,
                  "auth_time": now, "nonce": fields["nonce"], "preferred_username": name}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "1"}, claims))
        signature = self.openssl("dgst", "-sha256", "-sign", self.key, data=signed.encode())
        return 200, {"access_token": "unused", "token_type": "Bearer", "id_token": f"{signed}.{encoded(signature)}"}

    def handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self, status: int, text: str, kind: str = "application/json") -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                address = urlsplit(self.path)
                if address.path == "/authorize":
                    fields = {name: values[0] for name, values in parse_qs(address.query).items()}
                    return self.answer(200, provider.page(fields), "text/html; charset=utf-8")
                documents = {"/.well-known/openid-configuration": provider.configuration, "/keys": provider.keys}
                if address.path not in documents:
                    return self.answer(404, "{}")
                return self.answer(200, json.dumps(documents[address.path]()))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                status, answer = provider.token({name: values[0] for name, values in parse_qs(body).items()})
                self.answer(status, json.dumps(answer))

            def log_message(self, format: str, *arguments: object) -> None:
                """The provider writes no log."""

        return Handler
