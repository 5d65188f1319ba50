"""Attacks on sessions, cookies, passwords and frames."""

import re
import socket
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from browser import POLICY
from forms import Answer, Client, crawl
from instance import Instance
from stage import PASSWORD

Attack = Callable[["Scene"], str]
ALL: list[Attack] = []


def attack(body: Attack) -> Attack:
    ALL.append(body)
    return body


class Scene:
    """An instance under attack. As a context, it ends the instance."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.instances: list[Instance] = []

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_: object) -> None:
        for instance in self.instances:
            instance.end()

    def instance(self, **options: object) -> Instance:
        instance = Instance(self.programs, **options)
        self.instances.append(instance)
        return instance.__enter__()

    def client(self, instance: Instance, **options: object) -> Client:
        return Client("127.0.0.1", instance.port, instance.secure, **options)

    def person(self, instance: Instance, name: str, role: str, services: tuple[str, ...] = ()) -> None:
        """Creates a person who has a password."""
        key = instance.create_person(name, role, services).partition("key=")[2]
        answer = self.client(instance).send(
            "POST", "/console/welcome", {"key": key, "name": name, "password": PASSWORD, "again": PASSWORD})
        assert answer.status == 303, answer.text

    def signed_in(self, instance: Instance, name: str, role: str, services: tuple[str, ...] = ()) -> Client:
        self.person(instance, name, role, services)
        client = self.client(instance)
        answer = client.sign_in(name, PASSWORD)
        assert answer.status == 303, f"{answer.status}: {answer.text}"
        return client


def is_signed_in(client: Client) -> bool:
    return client.send("GET", "/console/").status == 200


# Sessions

@attack
def session_fixation(scene: Scene) -> str:
    """The attacker chooses the session's identifier before the victim signs in, or uses an earlier one."""
    instance = scene.instance()
    victim = scene.client(instance)
    victim.cookies["pushmta-local"] = chosen = "A" * 43
    scene.person(instance, "mara", "viewer")
    assert victim.sign_in("mara", PASSWORD).status == 303
    first = victim.cookies["pushmta-local"]
    assert first != chosen and len(first) >= 43
    stranger = scene.client(instance)
    stranger.cookies["pushmta-local"] = chosen
    assert not is_signed_in(stranger)
    assert victim.sign_in("mara", PASSWORD).status == 303
    assert victim.cookies["pushmta-local"] != first, "a second sign-in keeps the identifier"
    return "each sign-in has a new identifier of 256 bits; a chosen one stays unknown"


@attack
def a_session_after_its_end(scene: Scene) -> str:
    """The attacker has a copy of the cookie, and the victim signs out."""
    instance = scene.instance()
    victim = scene.signed_in(instance, "mara", "viewer")
    copy = scene.client(instance)
    copy.cookies = dict(victim.cookies)
    assert is_signed_in(copy)
    form = next(form for form in victim.get("/console/").page.forms if form.action.endswith("/sign-out"))
    assert victim.submit("/console/", form).status == 303
    deadline = time.monotonic() + 20
    while is_signed_in(copy):
        assert time.monotonic() < deadline, "the copy still works"
        time.sleep(0.1)
    return "the copy is void"


@attack
def the_session_in_the_store(scene: Scene) -> str:
    """The attacker reads a copy of the store and of the log."""
    instance = scene.instance()
    victim = scene.signed_in(instance, "mara", "viewer")
    token = victim.cookies["pushmta-local"].encode()
    for file in instance.folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert token not in content, f"{file.name} contains the session's identifier"
            assert PASSWORD.encode() not in content, f"{file.name} contains the password"
    return "neither the store nor the log contains identifiers or passwords"


@attack
def cookies_over_http(scene: Scene) -> str:
    """The attacker listens to the network: a sign-in over HTTP from another machine, and cookies without Secure."""
    address = own_address()
    if not address:
        return "skipped: this machine has only a loopback address"
    instance = scene.instance(bind="0.0.0.0")
    scene.person(instance, "mara", "viewer")
    other = Client(address, instance.port)
    for answer in (other.send("GET", "/console/sign-in"), other.sign_in("mara", PASSWORD),
                   other.sign_in("mara", PASSWORD, **{"X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"})):
        assert answer.status == 403 and "Use HTTPS" in answer.text, f"{answer.status}: {answer.text[:200]}"
        assert not answer.all("set-cookie")
    # A session of this machine does not work from another one.
    own = scene.client(instance)
    own.sign_in("mara", PASSWORD)
    other.cookies = dict(own.cookies)
    assert other.send("GET", "/console/").status == 403
    return "403 with an explanation, also with forged X-Forwarded headers"


@attack
def cookies_over_https(scene: Scene) -> str:
    """The attacker sets a cookie from another host of the domain, or reads it in a script."""
    instance = scene.instance(secure=True)
    key = instance.create_person("mara", "viewer").partition("key=")[2]
    client = scene.client(instance)
    answer = client.send("POST", "/console/welcome",
                         {"key": key, "name": "mara", "password": PASSWORD, "again": PASSWORD})
    assert answer.status == 303, answer.text
    for line in answer.all("set-cookie") + client.sign_in("mara", PASSWORD).all("set-cookie"):
        parts = {part.strip().lower() for part in line.split(";")[1:]}
        assert "secure" in parts, line
        if "=" in line and not line.startswith("pushmta-notice"):
            assert line.startswith("__Host-pushmta="), line
            assert {"httponly", "secure", "samesite=lax", "path=/"} <= parts, line
            assert not any(part.startswith("domain") for part in parts), line
    # The cookie for HTTP on the machine itself is not accepted over HTTPS.
    client.cookies = {"pushmta-local": client.cookies["__Host-pushmta"]}
    assert client.send("GET", "/console/").status == 303
    return "__Host- cookie with Secure, HttpOnly, SameSite=Lax, Path=/ and no Domain"


@attack
def a_form_of_another_person(scene: Scene) -> str:
    """The attacker leaves a filled-in form in a browser in which an admin signs in next."""
    instance = scene.instance()
    scene.person(instance, "boss", "admin")
    client = scene.signed_in(instance, "eve", "viewer")
    client.cookies.clear()
    form = {"role": "admin", "_owner": "eve"}
    kept = client.send("POST", "/console/people/eve/role", form)
    assert kept.status == 401 and "Your input is kept" in kept.text, kept.status
    fields = {"_action": "/people/eve/role", "_kept.role": "admin", "_owner": "eve"}
    answer = client.send("POST", "/console/sign-in", fields | {"name": "boss", "password": PASSWORD})
    assert answer.status == 303 and answer.header("location") == "/console/", answer.status
    # A page of another host cannot leave a form.
    stranger = scene.client(instance)
    forged = stranger.send("POST", "/console/people/eve/role", form, {"Sec-Fetch-Site": "cross-site"})
    assert forged.status == 403 and "_kept" not in forged.text, forged.status
    return "the form is offered only to the person who filled it in"


# Passwords

@attack
def brute_force(scene: Scene) -> str:
    """The attacker tries passwords for one name, and one password for many names."""
    instance = scene.instance()
    scene.person(instance, "mara", "admin")
    client = scene.client(instance)
    statuses = [client.sign_in("mara", f"guess {number}").status for number in range(8)]
    assert 429 in statuses, statuses
    refused = client.sign_in("mara", PASSWORD)
    assert refused.status == 429 and int(refused.header("retry-after")) > 0, refused.status
    assert not client.cookies.get("pushmta-local")
    sprayed = [client.sign_in(f"person-{number}", "password spraying").status for number in range(40)]
    assert 429 in sprayed, f"no delay by address: {sprayed}"
    return f"429 after {statuses.index(429)} guesses of a name; also by address; the right password is delayed too"


@attack
def brute_force_of_links(scene: Scene) -> str:
    """The attacker guesses the key of a single-use link, or uses it twice."""
    instance = scene.instance()
    key = instance.create_person("mara", "admin").partition("key=")[2]
    assert len(key) >= 22, "the key is too short"
    client = scene.client(instance)
    for guess in ("", "0", key[:-1], key + "A", key[:-1] + ("A" if key[-1] != "A" else "B"), "%00", "'" + key):
        answer = client.send("GET", f"/console/welcome?key={guess}")
        assert answer.status in {400, 404}, f"{guess}: {answer.status}"
    form = {"key": key, "name": "mara", "password": PASSWORD, "again": PASSWORD}
    # The name in the form has no effect: the link belongs to one person.
    assert client.send("POST", "/console/welcome", form | {"name": "other"}).status == 303
    assert client.send("POST", "/console/welcome", form).status == 404
    assert "key" not in instance.log or key not in instance.log, "the log contains the key"
    return "unknown keys answer 404; a key works once"


@attack
def weak_passwords(scene: Scene) -> str:
    """The person chooses a password that an attacker tries first."""
    instance = scene.instance()
    key = instance.create_person("mara.lindqvist", "admin").partition("key=")[2]
    client = scene.client(instance)
    for password in ("", "short", "a" * 11, "mara.lindqvist", "password1234", "123456789012", "x" * 129):
        answer = client.send("POST", "/console/welcome",
                             {"key": key, "name": "mara.lindqvist", "password": password, "again": password})
        assert answer.status == 422, f"{password[:20]!r} was accepted with {answer.status}"
    return "short, long and common passwords and the own name are refused"


@attack
def enumeration_of_names(scene: Scene) -> str:
    """The attacker learns from texts or times which names exist."""
    instance = scene.instance()
    scene.person(instance, "mara", "viewer")
    instance.create_person("newcomer", "viewer")
    texts, times = {}, {}
    # One after the other, so that a machine that is busy for a while slows all of them.
    for _ in range(2):
        for name in ("mara", "newcomer", "stranger"):
            client, start = scene.client(instance), time.monotonic()
            answer = client.sign_in(name, "a wrong password")
            times.setdefault(name, []).append(time.monotonic() - start)
            texts.setdefault(name, set()).add((answer.status, normal(answer, name)))
    assert texts["mara"] == texts["stranger"] == texts["newcomer"], "the texts differ"
    # All three compute scrypt. Without it, an answer takes a hundredth of the time.
    slowest, fastest = (choose(min(each) for each in times.values()) for choose in (max, min))
    assert fastest > slowest / 4, f"the times differ: {times}"
    medians = {name: round(statistics.median(each) * 1000) for name, each in times.items()}
    return f"the same text; milliseconds: {medians}"


# Frames and headers

@attack
def clickjacking(scene: Scene) -> str:
    """The attacker shows the console in a frame, or as another type."""
    instance = scene.instance()
    instance.create_service()
    client = scene.signed_in(instance, "mara", "admin")
    answers = list(crawl(client).values())
    stranger = scene.client(instance)
    answers += [stranger.send("GET", path) for path in ("/console/sign-in", "/console/welcome?key=x", "/console/x")]
    answers += [client.send("POST", "/console/nothing", {}), stranger.sign_in("a", "b")]
    for answer in answers:
        where = f"{answer.path} ({answer.status})"
        assert answer.header("content-security-policy") == POLICY, f"{where} has another policy"
        assert answer.header("x-content-type-options") == "nosniff", where
        assert answer.header("referrer-policy") in {"same-origin", "no-referrer"}, where
        if answer.header("content-type").startswith("text/html"):
            assert "no-store" in answer.header("cache-control"), f"{where} may be cached"
            check_no_inline(answer)
    return f"{len(answers)} answers with the policy, nosniff, no-store and without inline script or style"


@attack
def other_methods_and_bodies(scene: Scene) -> str:
    """The attacker sends unusual methods, types and sizes."""
    instance = scene.instance()
    client = scene.signed_in(instance, "mara", "admin")
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND"):
        answer = client.send(method, "/console/")
        assert answer.status in {400, 404, 405, 501}, f"{method}: {answer.status}"
        assert "mara" not in answer.text
    for kind, body in (("text/plain", b"a=b"), ("application/json", b"{}"), ("multipart/form-data", b"x"),
                       ("multipart/form-data; boundary=" + "b" * 500, b"--b"), ("", b"name=a&password=b")):
        answer = client.send("POST", "/console/sign-in", body=body, headers={"Content-Type": kind})
        assert 400 <= answer.status < 500, f"{kind}: {answer.status}"
    for size in (300_000, 3_000_000):
        answer = client.send("POST", "/console/sign-in", body=b"name=" + b"a" * size,
                             headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status in {400, 413}, f"{size} bytes: {answer.status}"
    # Only people who are signed in can send files.
    upload = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + b"a" * 300_000
    kind, stranger = {"Content-Type": "multipart/form-data; boundary=b"}, scene.client(instance)
    for path in ("/console/imports", "/console/sign-in"):
        assert stranger.send("POST", path, body=upload + b"\r\n--b--\r\n", headers=kind).status == 413, path
    many = "&".join(f"f{number}=1" for number in range(20_000)).encode()
    answer = client.send("POST", "/console/sign-in", body=many,
                         headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status < 500, answer.status
    assert client.send("GET", "/console/" + "a" * 7_000).status in {400, 404, 414}
    assert client.send("GET", "/console/", headers={"Cookie": "a=" + "b" * 7_000}).status < 500
    assert is_signed_in(client)
    return "4xx for each; the service keeps running"


@attack
def responses_with_line_breaks(scene: Scene) -> str:
    """The attacker puts line breaks into addresses, so that they become header fields."""
    instance = scene.instance()
    client = scene.signed_in(instance, "mara", "admin")
    evil = "%0d%0aSet-Cookie:%20evil=1"
    for path in (f"/console/{evil}", f"/console/?q={evil}", f"/console/sign-in?next=/{evil}",
                 f"/console/deliveries?search={evil}"):
        for each in (client, scene.client(instance)):
            answer = each.send("GET", path)
            assert not any("evil" in line for line in answer.all("set-cookie")), path
    answer = scene.client(instance).send("POST", "/console/sign-in", {
        "name": "mara", "password": PASSWORD, "next": "/\r\nSet-Cookie: evil=1"})
    assert not any("evil" in line.split("=")[0] for line in answer.all("set-cookie")), answer.headers
    return "no header field of the attacker"


# Tools

def check_no_inline(answer: Answer) -> None:
    for tag, attributes in answer.page.elements:
        assert tag != "style" and "style" not in attributes, f"{answer.path} has inline style: {tag} {attributes}"
        assert not any(name.startswith("on") for name in attributes), f"{answer.path}: {tag} {attributes}"
        assert tag != "script" or attributes.get("src"), f"{answer.path} has an inline script"
        for name in ("href", "src", "action", "formaction"):
            value = attributes.get(name, "").strip().lower()
            assert not value.startswith(("javascript:", "vbscript:", "//")), f"{answer.path}: {tag} {attributes}"
            assert not value.startswith("http") or tag == "a", f"{answer.path} loads {value}"


def normal(answer: Answer, name: str) -> str:
    return re.sub(r'value="[^"]*"', "", answer.text.replace(name, "NAME"))


def own_address() -> str | None:
    """Returns an address of this machine that is not a loopback address. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


