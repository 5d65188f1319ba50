"""A real instance of PushMTA in a temporary folder: the service, its store, and a synthetic gateway."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import ssl
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from waiting import until

KEY_ID, TEAM_ID, BUNDLE_ID = "BROWSER001", "BROWSER002", "com.example.shop"
CONFIGURATION = """<?xml version="1.0" encoding="UTF-8"?>
<serverConf>
  <shared><dataStore><dataSource name="default">
    <dbcnx provider="SQLite" server="var/pushmta.db"/>
  </dataSource></dataStore></shared>
  <mta autoStart="true" logLevel="2" retryLostMessages="true">
    <master startSpareServers="1" minSpareServers="0" maxSpareServers="1"/>
  </mta>
  <nmac useHTTPProxy="false">
    <relay address="127.0.0.1" port="{apns}" trustedCertsChain="certs/ca.pem"/>
    <fcm address="127.0.0.1" port="{fcm}" trustedCertsChain="certs/ca.pem"
         tokenAddress="127.0.0.1" tokenPort="{oauth}" messagesPerMinute="0" rampUpSec="0"/>
  </nmac>
  <web autoStart="true" bind="{bind}" httpPort="{port}" {attributes}>{provider}</web>
  <trackinglogd autoStart="true"/>
</serverConf>
"""


class Instance:
    """Starts the gateway at once, and the service with `start`. As a context, it ends everything."""

    def __init__(self, programs: Path, *, rules: str = "", delay_milliseconds: int = 0, bind: str = "127.0.0.1",
                 secure: bool = False, provider: str = "") -> None:
        self.pushmta, self.pushsink = programs / "pushmta", programs / "pushsink"
        self.bind, self.secure, self.rules, self.delay = bind, secure, rules, delay_milliseconds
        # The element that configures a provider with which people sign in.
        self.provider = provider
        self.folder = Path(tempfile.mkdtemp(prefix="pushmta-browser."))
        self.processes: list[subprocess.Popen] = []
        self.service: subprocess.Popen | None = None
        self.origin = ""
        self.port = 0
        self.keeps_folder = False

    def __enter__(self) -> "Instance":
        try:
            if self.secure:
                self._make_certificate()
            self._start_gateway()
            self.configure()
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        self.keeps_folder = kind is not None
        self.end()

    def end(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.keeps_folder:
            print(f"kept: {self.folder}", flush=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Processes

    def _launch(self, name: str, *command: str | Path) -> subprocess.Popen:
        with open(self.folder / f"{name}.out", "ab") as output, open(self.folder / f"{name}.err", "ab") as errors:
            process = subprocess.Popen([*map(str, command)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=errors, start_new_session=True)
        self.processes.append(process)
        return process

    def _make_certificate(self) -> None:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-keyout", "web.key", "-out", "web.pem", "-days", "1", "-subj", "/CN=127.0.0.1"],
                       cwd=self.folder, check=True, capture_output=True)
        (self.folder / "web.key").chmod(0o600)

    def _start_gateway(self) -> None:
        subprocess.run([self.pushsink, "certs", self.folder / "certs", "--key-id", KEY_ID, "--team-id", TEAM_ID,
                        "--bundle-id", BUNDLE_ID], check=True, capture_output=True)
        (self.folder / "rules.txt").write_text(self.rules)
        sink = self._launch(
            "sink", self.pushsink, "run", "--certs", self.folder / "certs", "--apns-port", "0", "--fcm-port", "0",
            "--oauth-port", "0", "--rules", "rules.txt", "--delay-ms", str(self.delay), "--log", "apns.log",
            "--fcm-log", "fcm.log", "--write-service-account", "service-account.json")
        output = self.folder / "sink.out"
        text = until("the gateway to listen", lambda: re.search(r"(?m)^apns .*:\d+$", output.read_text())
                     and output.read_text(), explain=lambda: (self.folder / "sink.err").read_text())
        assert sink.poll() is None
        self.gateway_ports = {name: int(port) for name, port in re.findall(r"(?m)^(\w+) \S+:(\d+)$", text)}

    def configure(self) -> None:
        ports = {name: self.gateway_ports[name] for name in ("apns", "fcm", "oauth")}
        (self.folder / "serverConf.xml").write_text(
            CONFIGURATION.format(bind=self.bind, port=self.port, **ports, provider=self.provider,
                                 attributes='certificateChain="web.pem" privateKey="web.key"' if self.secure else ""))

    def start(self) -> None:
        """Starts the service. After the first start, it uses the same port again, as browsers expect."""
        log = self.folder / "service.err"
        start = log.stat().st_size if log.exists() else 0

        def address() -> str | None:
            assert self.service and self.service.poll() is None, f"the service ended: {log.read_text()[start:]}"
            found = re.search(r"web listens on (\S+?)\"?$", log.read_text()[start:], re.MULTILINE)
            return found and found[1]

        self.service = self._launch("service", self.pushmta, "run")
        self.origin = until("the web module to listen", address, explain=lambda: log.read_text()[start:])
        self.port = int(self.origin.rsplit(":", 1)[1])
        self.configure()
        until("the service to be ready", lambda: self.request("GET", "/readyz")[0] == 200)

    def stop(self) -> None:
        assert self.service
        self.service.send_signal(signal.SIGTERM)
        self.service.wait(60)

    def restart(self) -> None:
        self.stop()
        self.start()

    @property
    def log(self) -> str:
        return (self.folder / "service.err").read_text()

    # Commands and requests

    def run(self, *arguments: str | Path, input: str = "") -> str:
        """Returns the output of a command, which must succeed."""
        done = subprocess.run([self.pushmta, *map(str, arguments)], cwd=self.folder, input=input, capture_output=True,
                              text=True, timeout=300, env=os.environ | {"NO_COLOR": "1"})
        assert done.returncode == 0, f"pushmta {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}"
        return done.stdout

    def change_store(self, statement: str) -> None:
        """Changes the store, for example so that time passes."""
        with contextlib.closing(sqlite3.connect(self.folder / "var/pushmta.db", timeout=30)) as store, store:
            store.execute(statement)

    def json(self, *arguments: str | Path) -> object:
        return json.loads(self.run(*arguments, "--json"))

    def write(self, name: str, text: str) -> Path:
        (self.folder / name).write_text(text)
        return self.folder / name

    def request(self, method: str, path: str, form: dict[str, str] | None = None,
                headers: dict[str, str] | None = None) -> tuple[int, str]:
        """Sends a request as a device or a program does."""
        if self.secure:
            # The certificate is the test's own.
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = urlencode(form).encode() if form is not None else None
            kind = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
            connection.request(method, path, body, kind | (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def create_person(self, name: str, role: str, services: Sequence[str] = ()) -> str:
        """Returns the path of the single-use link with which the person sets a password."""
        options = [option for service in services for option in ("--service", service)]
        output = self.run("user", "create", name, "--role", role, *options)
        found = re.search(r"/console/welcome\?key=\S+", output)
        assert found, f"user create printed no link: {output}"
        return found[0]

    def create_service(self, name: str = "shop") -> None:
        self.run("service", "create", name)

    def create_app(self, name: str = "shop-ios", service: str = "shop", platform: str = "ios",
                   parameters: Sequence[str] = ("firstName", "city", "points:number")) -> None:
        declared = [option for parameter in parameters for option in ("--parameter", parameter)]
        if platform == "ios":
            kind = ["--connector", "iosHTTP2", "--bundle-id", BUNDLE_ID, "--p8", f"certs/AuthKey_{KEY_ID}.p8",
                    "--key-id", KEY_ID, "--team-id", TEAM_ID]
        else:
            kind = ["--connector", "androidPushConnectorV2", "--service-account", "service-account.json"]
        self.run("app", "create", name, "--service", service, "--platform", platform, "--integration-key", name, *kind,
                 *declared)

    def import_subscribers(self, count: int, app: str = "shop-ios", first: int = 1, prefix: str = "") -> None:
        self.run("subscribers", "import", "--app", app, self.write_subscribers(count, first, prefix))

    def write_subscribers(self, count: int, first: int = 1, prefix: str = "") -> Path:
        names, cities = ["Anna", "Ben", "Chloe", "David"], ["Paris", "Lyon", "Nice"]
        rows = ["token,userKey,firstName,city,points"]
        for number in range(first, first + count):
            token = prefix + f"{number:064x}"[len(prefix):]
            rows.append(f"{token},{prefix}user-{number},{names[number % 4]},{cities[number % 3]},{number % 300}")
        return self.write(f"subscribers-{prefix}{first}.csv", "\n".join(rows) + "\n")

    def register(self, app: str, **fields: str) -> tuple[int, str]:
        """Registers a device, as an app does."""
        return self.request("POST", "/nms/mobile/1/registerIOS.jssp", {"mobileAppUuid": app} | fields)

    def submit(self, label: str, service: str = "shop", **members: object) -> int:
        document = {"label": label, "service": service, "target": {"all": True},
                    "content": {"title": label, "body": "Hello"}} | members
        file = self.write("delivery.json", json.dumps(document))
        return int(self.run("delivery", "submit", file).split()[0])

    def report(self, delivery: int, tag: int, count: int = 1) -> None:
        """Reports messages of a delivery as received (1) or as clicked (2), as an app does."""
        rows = self.run("delivery", "log", str(delivery)).splitlines()
        column = rows[0].split(",").index("messageId")
        for row in rows[1:count + 1]:
            text = row.split(",")[column]
            identifier = f"{int(text):x}" if re.fullmatch(r"-?\d+", text) else text
            status, _ = self.request("GET", f"/r/?id=h{identifier},{delivery:x},{tag}")
            assert status == 200
