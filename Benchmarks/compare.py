#!/usr/bin/env python3
"""Compares the engine with other clients, among them h2load, a load generator without a store.

The clients run in turn on this machine, and all of them send to pushsink. The engine reads messages from its store,
renders them and records each outcome durably; the others record nothing. Results are relative to h2load's CPU time per
request, because machines differ by a factor of two. Requires h2load and nghttp (Debian: nghttp2-client) and openssl.
With --peers FOLDER, the clients from PyPI are installed in that folder.

    Benchmarks/compare.py .build/release --messages 500000 --runs 5 --peers .build/peers
"""

import argparse
import base64
import contextlib
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# The same length as the engine's bodies in pushload bench.
BODY = '{"aps":{"alert":{"title":"Hello","body":"%s"}},"_mId":"1","_dId":"2"}' % ("x" * 230)
LIMITS = {"engine / h2load": 0.60, "master / h2load": 0.25, "child / h2load": 0.35}
LEAST_RATE = 1.3
NGHTTP_MESSAGES = 100_000
# A folder in memory, where synchronising a file costs nothing.
MEMORY = Path("/dev/shm")


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def provider_token(certificates: Path) -> str:
    """Returns a provider token for APNs (RFC 7515, ES256), signed with pushsink's key."""
    account = json.loads((certificates / "apns.json").read_text())
    head = text(json.dumps({"alg": "ES256", "kid": account["keyID"]}).encode())
    claims = text(json.dumps({"iss": account["teamID"], "iat": int(time.time())}).encode())
    key = certificates / f"AuthKey_{account['keyID']}.p8"
    command = ["openssl", "dgst", "-sha256", "-sign", str(key)]
    der = subprocess.run(command, input=f"{head}.{claims}".encode(), capture_output=True, check=True).stdout
    # The signature in DER consists of two integers, each with a length of one byte.
    numbers, at = b"", 2
    for _ in range(2):
        length = der[at + 1]
        numbers += int.from_bytes(der[at + 2 : at + 2 + length], "big").to_bytes(32, "big")
        at += 2 + length
    return f"{head}.{claims}.{text(numbers)}"


@contextlib.contextmanager
def gateway(programs: Path, folder: Path) -> Iterator[dict[str, int]]:
    """Runs pushsink, and yields its ports, keyed by service name."""
    command = [programs / "pushsink", "run", "--certs", folder / "certs", "--fast", "--fcm-port", "0"]
    command += ["--fcm-max-streams", "1000", "--write-service-account", folder / "service-account.json"]
    sink = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    ports = {}
    try:
        for line in sink.stdout:
            name, address = line.split()
            if name != "certs":
                ports[name] = int(address.rsplit(":", 1)[1])
            if name == "apns":
                break
        yield ports
    finally:
        sink.terminate()
        sink.wait()


def apns_fields(certificates: Path) -> list[str]:
    account = json.loads((certificates / "apns.json").read_text())
    fields = {
        "authorization": f"bearer {provider_token(certificates)}", "apns-topic": account["bundleID"],
        "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": str(int(time.time()) + 86_400),
        "apns-id": "4f8e1d9a-1b2c-8d3e-9f4a-5b6c7d8e9f00",
    }
    return [argument for name, value in fields.items() for argument in ("-H", f"{name}: {value}")]


def run_nghttp2(
    programs: Path, folder: Path, messages: int, client: list[str], accepted: Callable[[str], int]
) -> dict[str, float]:
    """Runs a client of nghttp2 to its end. `accepted` reads the number of accepted messages from its output."""
    body = folder / "body.json"
    body.write_text(BODY)
    with gateway(programs, folder) as ports:
        command = [*client, "-d", str(body), *apns_fields(folder / "certs")]
        command.append(f"https://127.0.0.1:{ports['apns']}/3/device/{'ab' * 32}")
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    # A client may open a hundred streams before the gateway's settings arrive. The settings allow only one stream
    # until a request is authorised, so the gateway refuses the other streams.
    if accepted(output) < messages - 99:
        raise SystemExit(f"{client[0]}: messages were refused:\n{output[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    finished = re.search(r", ([\d.]+) req/s", output)
    return {"CPU": cpu / messages * 1e6, "rate": float(finished[1]) if finished else messages / seconds}


def run_h2load(programs: Path, folder: Path, messages: int) -> dict[str, float]:
    client = ["h2load", "-n", str(messages), "-c1", "-m500", "-t1"]
    return run_nghttp2(programs, folder, messages, client, lambda text: int(re.search(r"(\d+) 2xx", text)[1]))


def run_nghttp(programs: Path, folder: Path, messages: int) -> dict[str, float]:
    client = ["nghttp", "--null-out", "--stat", "-m", str(messages)]
    return run_nghttp2(programs, folder, messages, client, lambda text: text.count(" 200 "))


def run_peer(
    programs: Path, folder: Path, messages: int, environment: Path, client: str, port: str
) -> dict[str, float]:
    with gateway(programs, folder) as ports:
        command = [environment / "bin/python", "-W", "ignore::DeprecationWarning", Path(__file__).parent / "peers.py"]
        command += [client, "--port", str(ports[port]), "--messages", str(messages), "--certificates", folder / "certs"]
        command += ["--service-account", folder / "service-account.json"]
        # The clients' libraries read the trusted certificates from these variables.
        trusted = str(folder / "certs" / "ca.pem")
        trust = {"SSL_CERT_FILE": trusted, "REQUESTS_CA_BUNDLE": trusted}
        done = subprocess.run(command, env=os.environ | trust, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{client} failed:\n{done.stderr[-2000:]}")
    result = json.loads(done.stdout)
    if result["accepted"] != messages:
        raise SystemExit(f"{client}: {result['accepted']} of {messages} messages were accepted")
    return {
        "CPU": result["cpu"] / messages * 1e6, "rate": messages / result["seconds"], "version": result["version"]}


def run_engine(programs: Path, messages: int, platform: str, memory: str | None = None) -> dict[str, float]:
    """Runs pushload bench. `memory` is a folder in memory for the store; if it is None, the store is on disk."""
    command = [programs / "pushload", "bench", "--messages", str(messages), "--platform", platform]
    # FCM's quota is disabled, because with a quota nothing is sent in the first tenth of a second.
    command += ["--per-minute", "0", "--fast"]
    environment = os.environ | ({"TMPDIR": memory} if memory else {})
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    rows = dict(re.findall(r"^\| (.*?) +\| *([\d.]+)", output, re.MULTILINE))
    engine, master = float(rows["CPU per notification, engine"]), float(rows["… master"])
    # "child" is the sum for all children, because the master replaces a child after a certain number of messages.
    return {
        "CPU": engine, "master": master, "child": engine - master,
        "rate": float(rows["sent, startedAt to finishedAt"]),
    }


def version(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]


def show(name: str, values: list[float], digits: int) -> float:
    median = statistics.median(values)
    listed = ", ".join(f"{value:.{digits}f}" for value in values)
    print(f"| {name} | **{median:.{digits}f}** | {listed} |")
    return median


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {what: statistics.median(run[what] for run in runs) for what in ("CPU", "rate")}


def show_unit(h2load: list[dict[str, float]], engine: list[dict[str, float]]) -> int:
    """Prints the engine's CPU and rate relative to h2load's. Returns 1 if a limit is exceeded, otherwise 0."""
    print("| measurement | median | all runs |\n|---|--:|---|")
    unit = show("h2load, CPU per request, µs", [run["CPU"] for run in h2load], 2)
    base = show("h2load, requests/s", [run["rate"] for run in h2load], 0)
    costs = {
        "engine / h2load": show("engine, CPU per notification, µs", [run["CPU"] for run in engine], 2),
        "master / h2load": show("… master", [run["master"] for run in engine], 2),
        "child / h2load": show("… child", [run["child"] for run in engine], 2),
    }
    rate = show("engine, notifications/s", [run["rate"] for run in engine], 0) / base
    print("\n| ratio | measured | limit |\n|---|--:|--:|")
    for name, value in costs.items():
        print(f"| {name}, CPU | {value / unit:.2f} | ≤ {LIMITS[name]:.2f} |")
    print(f"| engine / h2load, rate | {rate:.2f} | ≥ {LEAST_RATE} |")
    missed = rate < LEAST_RATE or any(value / unit > LIMITS[name] for name, value in costs.items())
    return 1 if missed else 0


def install(environment: Path) -> None:
    """Installs the clients from PyPI in a virtual environment, in the versions of requirements.txt."""
    wanted = Path(__file__).parent / "requirements.txt"
    done = environment / wanted.name
    if done.exists() and done.read_text() == wanted.read_text():
        return
    try:
        subprocess.run(["python3", "-m", "venv", "--clear", environment], check=True)
        pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--requirement", wanted]
        subprocess.run(pip, check=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            f"clients from PyPI cannot be installed in {environment}: {error}; install python3-venv and check the "
            "connection to PyPI, or run without --peers") from error
    done.write_text(wanted.read_text())


def run_peers(options, folder: Path) -> dict[str, list[dict]]:
    """Runs the clients in turn, including the engine with its store on disk and in memory."""
    def peer(client: str, port: str) -> Callable[[], dict]:
        return lambda: run_peer(options.programs, folder, options.peer_messages, options.peers, client, port)

    clients = {
        "engine, APNs, durable": lambda: run_engine(options.programs, options.messages, "ios"),
        "engine, FCM, durable": lambda: run_engine(options.programs, options.messages, "android"),
        "nghttp, APNs": lambda: run_nghttp(options.programs, folder, NGHTTP_MESSAGES),
        "aioapns, APNs": peer("aioapns", "apns"),
        "httpx, APNs": peer("httpx", "apns"),
        "firebase-admin, FCM, `send_each_async`": peer("firebase-admin-async", "fcm"),
        "firebase-admin, FCM, `send_each`": peer("firebase-admin", "fcm"),
    }
    if MEMORY.is_dir():
        clients["engine, APNs, store in memory"] = lambda: run_engine(
            options.programs, options.messages, "ios", str(MEMORY))
    runs: dict[str, list[dict]] = {name: [] for name in clients}
    for _ in range(options.peer_runs):
        for name, run in clients.items():
            runs[name].append(run())
    return runs


def show_peers(options, h2load: list[dict], runs: dict[str, list[dict]]) -> None:
    unit = medians(h2load)
    print(f"\nMedians of {options.peer_runs} runs, in turn. Clients from PyPI sent {options.peer_messages} messages, "
          f"nghttp {NGHTTP_MESSAGES}, the others {options.messages}. Durable: each outcome is on disk before its "
          "message counts as sent. In memory: outcomes are recorded in the same way, but a power cut loses them. The other "
          "clients record nothing.\n")
    print("| client | messages/s | CPU per message, µs | CPU / h2load's | rate / h2load's |\n|---|--:|--:|--:|--:|")
    rows = {"h2load, APNs": unit} | {name: medians(measured) for name, measured in runs.items()}
    for name, row in sorted(rows.items(), key=lambda item: item[1]["CPU"]):
        print(f"| {name} | {row['rate']:.0f} | {row['CPU']:.2f} | {row['CPU'] / unit['CPU']:.2f} | "
              f"{row['rate'] / unit['rate']:.3f} |")
    found = {name.split(",")[0]: run[0]["version"] for name, run in runs.items() if "version" in run[0]}
    print("\n" + "; ".join(f"{name} {text}" for name, text in found.items()) + f"; {version('python3', '--version')}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushmta, pushsink and pushload")
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5, help="runs of h2load and of the engine, in turn")
    parser.add_argument("--platform", choices=["ios", "android"], default="ios")
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="also run other clients; those from PyPI are installed here")
    parser.add_argument("--peer-messages", type=int, default=20_000, help="messages for the slower clients from PyPI")
    parser.add_argument("--peer-runs", type=int, default=3)
    options = parser.parse_args()
    if min(options.messages, options.runs, options.peer_messages, options.peer_runs) < 1:
        parser.error("numbers must be 1 or greater")

    engine, h2load = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([options.programs / "pushsink", "certs", folder / "certs"], check=True, capture_output=True)
        if options.peers:
            install(options.peers)
        for _ in range(options.runs):
            h2load.append(run_h2load(options.programs, folder, options.messages))
            engine.append(run_engine(options.programs, options.messages, options.platform))
        print(f"{version(options.programs / 'pushmta', '--version')}; {version('h2load', '--version')}; "
              f"{options.messages} messages, {options.platform}\n")
        missed = show_unit(h2load, engine)
        if options.peers:
            show_peers(options, h2load, run_peers(options, folder))
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
