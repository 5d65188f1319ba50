#!/usr/bin/env python3
"""The engine beside h2load, a load generator that keeps nothing, by turns on this machine.

Both send the same number of notifications over one connection to pushsink. The engine reads them from its store,
renders them and records each outcome durably; h2load sends one body again and again. The unit is h2load's CPU per
request, because machines differ by a factor of two. Needs h2load (Debian: nghttp2-client) and openssl.

    Benchmarks/compare.py .build/release --messages 500000 --runs 5
"""

import argparse
import base64
import json
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# As long as what the engine sends in a bench.
BODY = '{"aps":{"alert":{"title":"Hello","body":"%s"}},"_mId":"1","_dId":"2"}' % ("x" * 230)
LIMITS = {"engine / h2load": 0.60, "master / h2load": 0.25, "child / h2load": 0.35}
LEAST_RATE = 1.3


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def provider_token(certificates: Path) -> str:
    """A token as Apple wants it (RFC 7515, ES256), signed by pushsink's key."""
    account = json.loads((certificates / "apns.json").read_text())
    head = text(json.dumps({"alg": "ES256", "kid": account["keyID"]}).encode())
    claims = text(json.dumps({"iss": account["teamID"], "iat": int(time.time())}).encode())
    key = certificates / f"AuthKey_{account['keyID']}.p8"
    command = ["openssl", "dgst", "-sha256", "-sign", str(key)]
    der = subprocess.run(command, input=f"{head}.{claims}".encode(), capture_output=True, check=True).stdout
    # DER's two integers, each with a length of one byte.
    numbers, at = b"", 2
    for _ in range(2):
        length = der[at + 1]
        numbers += int.from_bytes(der[at + 2 : at + 2 + length], "big").to_bytes(32, "big")
        at += 2 + length
    return f"{head}.{claims}.{text(numbers)}"


def run_h2load(programs: Path, folder: Path, messages: int) -> dict[str, float]:
    certificates, body = folder / "certs", folder / "body.json"
    body.write_text(BODY)
    sink = subprocess.Popen(
        [programs / "pushsink", "run", "--certs", certificates, "--fast"], stdout=subprocess.PIPE, text=True)
    try:
        port = next(line.strip().rsplit(":", 1)[1] for line in sink.stdout if line.startswith("apns "))
        account = json.loads((certificates / "apns.json").read_text())
        fields = {
            "authorization": f"bearer {provider_token(certificates)}", "apns-topic": account["bundleID"],
            "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": str(int(time.time()) + 86_400),
            "apns-id": "4f8e1d9a-1b2c-8d3e-9f4a-5b6c7d8e9f00",
        }
        command = ["h2load", "-n", str(messages), "-c1", "-m500", "-t1", "-d", str(body)]
        for name, value in fields.items():
            command += ["-H", f"{name}: {value}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command.append(f"https://127.0.0.1:{port}/3/device/{'ab' * 32}")
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        sink.terminate()
        sink.wait()
    if f" {messages} 2xx" not in output:
        raise SystemExit(f"h2load was refused:\n{output}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"CPU": seconds / messages * 1e6, "rate": float(re.search(r", ([\d.]+) req/s", output)[1])}


def run_engine(programs: Path, messages: int, platform: str) -> dict[str, float]:
    command = [programs / "pushload", "bench", "--messages", str(messages), "--platform", platform]
    command += ["--per-minute", "100000000", "--fast"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = dict(re.findall(r"^\| (.*?) +\| *([\d.]+)", output, re.MULTILINE))
    engine, master = float(rows["CPU a notification, engine"]), float(rows["… master"])
    # All of them: a child that has served long is replaced by another.
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushmta, pushsink and pushload")
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5, help="of each, by turns")
    parser.add_argument("--platform", choices=["ios", "android"], default="ios")
    options = parser.parse_args()
    if options.messages < 1 or options.runs < 1:
        parser.error("--messages and --runs are 1 or more")

    engine, h2load = [], []
    with tempfile.TemporaryDirectory() as folder:
        certificates = Path(folder) / "certs"
        subprocess.run([options.programs / "pushsink", "certs", certificates], check=True, capture_output=True)
        for _ in range(options.runs):
            h2load.append(run_h2load(options.programs, Path(folder), options.messages))
            engine.append(run_engine(options.programs, options.messages, options.platform))

    print(f"{version(options.programs / 'pushmta', '--version')}; {version('h2load', '--version')}; "
          f"{options.messages} messages, {options.platform}\n")
    print("| what | median | all |\n|---|--:|---|")
    unit = show("h2load, CPU per request, µs", [run["CPU"] for run in h2load], 2)
    base = show("h2load, requests/s", [run["rate"] for run in h2load], 0)
    medians = {
        "engine / h2load": show("engine, CPU per notification, µs", [run["CPU"] for run in engine], 2),
        "master / h2load": show("… master", [run["master"] for run in engine], 2),
        "child / h2load": show("… child", [run["child"] for run in engine], 2),
    }
    rate = show("engine, notifications/s", [run["rate"] for run in engine], 0) / base
    print("\n| ratio | measured | wanted |\n|---|--:|--:|")
    for name, value in medians.items():
        print(f"| {name}, CPU | {value / unit:.2f} | ≤ {LIMITS[name]:.2f} |")
    print(f"| engine / h2load, rate | {rate:.2f} | ≥ {LEAST_RATE} |")
    missed = rate < LEAST_RATE or any(value / unit > LIMITS[name] for name, value in medians.items())
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
