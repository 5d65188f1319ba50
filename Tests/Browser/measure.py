#!/usr/bin/env python3
"""Measures the console of a real instance that is full.

    Tests/Browser/measure.py .build/release              1 000 apps, 100 000 deliveries, 10 000 000 subscribers
    Tests/Browser/measure.py .build/release --apps 20 --deliveries 1000 --subscribers 100000
    Tests/Browser/measure.py .build/release --live 20    whether live pages slow sending down

Prints for each page, in milliseconds, the median and the longest time until the whole answer has arrived and the CPU
time of the service per request, and the size of the answer. Needs no browser. With --live, it prints the seconds in
which the same delivery is sent without and with the live pages, in alternation.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import re
import statistics
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from instance import Instance
from stage import PASSWORD, wait_for_state

FILL_SECONDS = 7_200
TICK_MILLISECONDS = 1_000 / os.sysconf("SC_CLK_TCK")


def cpu_milliseconds(instance: Instance) -> float:
    """The CPU time of the service's process, without its children."""
    assert instance.service
    fields = Path(f"/proc/{instance.service.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_MILLISECONDS


class Visitor:
    """A signed-in person with one connection."""

    def __init__(self, instance: Instance, name: str) -> None:
        self.instance = instance
        self.cookies: dict[str, str] = {}
        self.connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=60)
        link = instance.create_person(name, "admin")
        key = parse_qs(urlsplit(link).query)["key"][0]
        self.send("POST", "/console/welcome", {"key": key, "name": name, "password": PASSWORD, "again": PASSWORD})
        assert self.cookies, "the link began no session"

    def send(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Returns the status, the text and the place of a redirection."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Origin": self.instance.origin, "Cookie": cookies}
        body = None
        if form is not None:
            body, headers["Content-Type"] = urlencode(form), "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, text, answer.headers.get("Location", "")

    def get(self, path: str) -> str:
        status, text, _ = self.send("GET", path)
        assert status == 200, f"{path}: {status}"
        return text


def api(instance: Instance) -> tuple[http.client.HTTPConnection, dict[str, str]]:
    """A connection to the API, and the header fields of requests."""
    token = (instance.folder / "var/api.token").read_text().strip()
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=60)
    return connection, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


def fill(instance: Instance, apps: int, deliveries: int, subscribers: int) -> list[int]:
    """Returns the ids of the deliveries."""
    start = time.monotonic()

    def done(what: str) -> None:
        print(f"# {what} after {time.monotonic() - start:.0f} s", flush=True)

    instance.create_service()
    instance.create_app()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: instance.create_app(f"app-{number}", platform=("ios", "android")[number % 2]),
                      range(1, apps)))
    done(f"{apps} apps")
    part = 1_000_000
    for first in range(1, subscribers + 1, part):
        count = min(part, subscribers + 1 - first)
        instance.import_subscribers(count, first=first)
        (instance.folder / f"subscribers-{first}.csv").unlink()
    done(f"{subscribers} subscribers")
    everyone = {"all": True}

    def submit(numbers: range) -> list[int]:
        connection, headers = api(instance)
        ids = []
        for number in numbers:
            people = {"userKeys": [f"user-{number % subscribers + 1}"]}
            document = {"label": f"Delivery {number}", "service": "shop", "target": people if number else everyone,
                        "apps": ["shop-ios"], "content": {"title": "Sale", "body": f"From {number} euros"}}
            connection.request("POST", "/api/v1/deliveries", json.dumps(document), headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status in {200, 201, 202}, text
            ids.append(int(json.loads(text)["id"]))
        return ids

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ids = [each for part in pool.map(submit, [range(first, deliveries, 4) for first in range(4)]) for each in part]
    done(f"{deliveries} deliveries submitted")
    for each in (ids[0], max(ids)):
        wait_for_state(instance, each, "finished", seconds=FILL_SECONDS)
    done("all sent")
    return ids


def links(text: str) -> list[str]:
    """The console's addresses in a page to which links and live parts lead, without their query."""
    found = re.findall(r'(?:href|data-refresh|data-load)="(/console/[^"#?]*)', text)
    return [each for each in dict.fromkeys(found) if not each.startswith("/console/files/")]


def write_draft(instance: Instance) -> int:
    """Returns the id of a draft that is ready to send: personalised, in four languages, to all subscribers."""
    text = {"title": "{{firstName|Hello}}, spring is here", "body": "20 % off in {{city}}, {{points:number}} points"}
    document = {"label": "Spring", "service": "shop", "target": {"all": True},
                "content": text | {"languages": {tag: text for tag in ("de", "fr", "it")}}}
    connection, headers = api(instance)
    connection.request("POST", "/api/v1/drafts", json.dumps({"document": document}), headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 201, text
    return int(json.loads(text)["id"])


def pages(visitor: Visitor, deliveries: list[int]) -> list[str]:
    """The pages of the navigation, one page of each kind that they lead to, and searches."""
    large = deliveries[0]
    draft = write_draft(visitor.instance)
    steps = [f"/console/drafts/{draft}/{step}"
             for step in ("content", "audience", "timing", "proof", "review", "review/count")]
    searches = [
        "/console/deliveries?q=Delivery+99", "/console/subscribers?q=user-5", "/console/subscribers?q=" + f"{5:064x}",
        "/console/subscribers?q=city%3DParis", "/console/subscribers?q=nobody",
        "/console/subscribers/person?key=user-5",
        "/console/apps?q=shop", f"/console/deliveries/{large}", f"/console/deliveries/{large}/live",
        f"/console/deliveries/{large}/recipients", f"/console/deliveries/{large}/recipients?q=user-5",
        f"/console/deliveries/{large}/devices", f"/console/compare?id={large}&id={deliveries[1]}"]
    found = links(visitor.get("/console/"))
    kinds: dict[str, str] = {}
    for path in [*found, *(each for page in found for each in links(visitor.send("GET", page)[1]))]:
        kinds.setdefault(re.sub(r"(?<=/)(\d+|of/[^/]+|shared/[^/]+)(?=/|$)", "*", path), path)
    return list(dict.fromkeys([*kinds.values(), *steps, *searches]))


def measure(instance: Instance, visitor: Visitor, path: str, requests: int) -> None:
    start, times, size, status = cpu_milliseconds(instance), [], 0, 0
    for _ in range(requests):
        begin = time.perf_counter()
        status, text, _ = visitor.send("GET", path)
        times.append((time.perf_counter() - begin) * 1_000)
        size = len(text.encode())
        if sum(times) > 10_000:
            break
    cpu = (cpu_milliseconds(instance) - start) / len(times)
    median = statistics.median(times)
    print(f"{median:8.1f} {max(times):8.1f} {cpu:7.1f} {size / 1_000:6.0f}  {status} {path}", flush=True)


def poll(visitor: Visitor, delivery: int, end: threading.Event, counts: list[int]) -> None:
    """Requests the live part of a delivery's page every two seconds, as the page does."""
    count = 0
    while not end.is_set():
        visitor.get(f"/console/deliveries/{delivery}/live")
        count += 1
        end.wait(2)
    counts.append(count)


def measure_sending(instance: Instance, number: int, visitors: list[Visitor], round: int) -> float:
    begin = time.monotonic()
    delivery = instance.submit(f"{number} messages, {len(visitors)} pages, round {round}")
    end, counts = threading.Event(), []
    threads = [threading.Thread(target=poll, args=(each, delivery, end, counts)) for each in visitors]
    for thread in threads:
        thread.start()
    wait_for_state(instance, delivery, "finished", seconds=FILL_SECONDS)
    seconds = time.monotonic() - begin
    end.set()
    for thread in threads:
        thread.join()
    assert len(counts) == len(visitors), "a live page failed"
    print(f"{seconds:8.2f} s  {number} messages, {len(visitors)} live pages, {sum(counts)} requests", flush=True)
    return seconds


def compare_sending(instance: Instance, number: int, pages: int, rounds: int) -> None:
    instance.create_service()
    instance.create_app()
    instance.import_subscribers(number)
    visitors = [Visitor(instance, f"visitor-{each}") for each in range(pages)]
    without, with_pages = [], []
    for round in range(rounds):
        without.append(measure_sending(instance, number, [], round))
        with_pages.append(measure_sending(instance, number, visitors, round))
    medians = [statistics.median(each) for each in (without, with_pages)]
    print(f"median {medians[0]:.2f} s without, {medians[1]:.2f} s with {pages} pages")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="the folder with pushmta and pushsink")
    parser.add_argument("--apps", type=int, default=1_000)
    parser.add_argument("--deliveries", type=int, default=100_000)
    parser.add_argument("--subscribers", type=int, default=10_000_000)
    parser.add_argument("--requests", type=int, default=30, help="the requests of each page")
    parser.add_argument("--live", type=int, help="the number of live pages during a delivery")
    parser.add_argument("--rounds", type=int, default=5, help="the rounds of --live")
    options = parser.parse_args()
    with Instance(options.programs.resolve()) as instance:
        if options.live:
            compare_sending(instance, min(options.subscribers, 500_000), options.live, options.rounds)
            return
        deliveries = fill(instance, options.apps, options.deliveries, options.subscribers)
        visitor = Visitor(instance, "measure")
        print("  median  longest     CPU     kB")
        for path in pages(visitor, deliveries):
            measure(instance, visitor, path, options.requests)


if __name__ == "__main__":
    main()
