"""Attacks that use the rights of another person, or another service's objects."""

import html
from urllib.parse import unquote

from attacks import Scene, attack, is_signed_in
from attacks_content import posts
from forms import Answer, Form, crawl
from instance import Instance
from stage import PASSWORD
from waiting import until
from world import furnish

TOKEN = "_csrf"
# Forms that concern only the person who submits them.
OWN = ("/console/sign-out", "/console/language", "/console/password", "/console/profile")


def changes(instance: Instance, person: str) -> list[str]:
    """Returns what a person has changed, according to the audit trail."""
    entries = instance.json("audit", "--limit", "1000")["items"]
    return [f"{entry['action']} {entry['what']}" for entry in entries if entry["who"].startswith(f"person {person}")
            and not entry["action"].startswith(("session.", "password."))]


@attack
def forged_requests_on_each_form(scene: Scene) -> str:
    """The victim opens a page of the attacker, which submits each form of the console."""
    instance = scene.instance()
    furnish(instance, "shop")
    victim = scene.signed_in(instance, "mara", "admin")
    attacker = scene.signed_in(instance, "eve", "admin")
    foreign_token = next(value for form in attacker.get("/console/").page.forms for name, value in form.fields
                         if name == TOKEN)
    forms = posts(crawl(victim))
    assert forms, "no form was found"
    for page, form in forms:
        names = [name for name, _ in form.fields]
        assert TOKEN in names, f"the form {form.action} on {page} has no token"
        own = dict(form.fields)
        for label, values, headers in [
            ("no token", form.filled(**{TOKEN: ""}), {}),
            ("no field", [each for each in form.fields if each[0] != TOKEN], {}),
            ("the token of another session", form.filled(**{TOKEN: foreign_token}), {}),
            ("a foreign Origin", form.fields, {"Origin": "http://example.org", "Sec-Fetch-Site": None}),
            ("the Origin null", form.fields, {"Origin": "null", "Sec-Fetch-Site": None}),
            ("another port", form.fields, {"Origin": f"http://127.0.0.1:{instance.port + 1}", "Sec-Fetch-Site": None}),
            ("Sec-Fetch-Site cross-site", form.fields, {"Sec-Fetch-Site": "cross-site"}),
            ("Sec-Fetch-Site same-site", form.fields, {"Sec-Fetch-Site": "same-site"}),
        ]:
            answer = victim.submit(page, form, values, **headers)
            assert answer.status == 403, f"{form.action} with {label}: {answer.status}"
        assert own[TOKEN] != foreign_token
    sign_in = scene.client(instance)
    for path in ("/console/sign-in", "/console/welcome"):
        answer = sign_in.send("POST", path, {"name": "mara", "password": PASSWORD},
                              {"Origin": "http://example.org", "Sec-Fetch-Site": "cross-site"})
        assert answer.status == 403, f"{path}: {answer.status}"
    assert not changes(instance, "mara"), changes(instance, "mara")
    return f"{len(forms)} forms, 8 ways each: 403, and nothing changed"


@attack
def the_token_against_forgery_is_secret(scene: Scene) -> str:
    """A page of another host reads the token, or the session's identifier, from a page of the console."""
    instance = scene.instance()
    client = scene.signed_in(instance, "mara", "viewer")
    answer = client.send("GET", "/console/", headers={"Origin": "http://example.org"})
    for name in ("access-control-allow-origin", "access-control-allow-credentials"):
        assert not answer.header(name), answer.headers
    assert client.cookies["pushmta-local"] not in answer.text
    return "no access for other origins; no page contains the identifier"


@attack
def actions_beyond_the_role(scene: Scene) -> str:
    """A viewer, a marketer and an operator request each page and submit each form of an admin."""
    instance = scene.instance()
    furnish(instance, "shop")
    admin = scene.signed_in(instance, "boss", "admin")
    pages = crawl(admin)
    forms = posts(pages)
    counts = []
    for role in ("viewer", "marketer", "operator"):
        client = scene.signed_in(instance, role, role)
        own = crawl(client)
        token = token_of(own["/console/"])
        visible = {form.action for _, form in posts(own)}
        refused = 0
        for page, form in forms:
            if form.action.endswith(tuple(OWN)) or form.action in visible:
                continue
            answer = client.submit(page, form, form.filled(**{TOKEN: token}))
            assert answer.status in {403, 404}, f"{role} may submit {form.action}: {answer.status}"
            refused += 1
        for path in pages:
            answer = client.send("GET", path)
            assert answer.status < 500
            refused += answer.status == 403
        if role == "viewer":
            assert not changes(instance, role), changes(instance, role)
        counts.append(f"{role}: {refused} refused")
    return "; ".join(counts)


@attack
def objects_of_another_service(scene: Scene) -> str:
    """A marketer of one service guesses the addresses of another service's objects."""
    instance = scene.instance()
    furnish(instance, "alpha")
    foreign = furnish(instance, "secretb")
    admin = scene.signed_in(instance, "boss", "admin")
    pages = crawl(admin)
    client = scene.signed_in(instance, "mara", "marketer", ("alpha",))
    own = crawl(client)
    for path, answer in own.items():
        assert "secretb" not in answer.text, f"{path} shows the other service"
    token, before, tried = token_of(own["/console/"]), state(instance, foreign), 0
    for path in pages:
        answer, tried = client.send("GET", path), tried + 1
        # A page may contain the address that the attacker has sent.
        shown = plain(answer.text).replace(plain(path).removeprefix("/console"), "")
        place = shown.find("secretb")
        assert place < 0 or "secretb" in path and answer.status in {403, 404, 422}, (
            f"{path} shows {shown[max(place - 150, 0):place + 50]}")
    for page, form in all_posts(pages):
        if form.action.endswith(tuple(OWN)):
            continue
        answer, tried = client.submit(page, form, form.filled(**{TOKEN: token})), tried + 1
        assert answer.status < 500, f"{form.action}: {answer.status}"
    assert state(instance, foreign) == before, "an object of the other service has changed"
    assert not [line for line in changes(instance, "mara") if "secretb" in line], changes(instance, "mara")
    return f"{tried} requests: no text of the other service, and no change"


def all_posts(pages: dict[str, Answer]) -> list[tuple[str, Form]]:
    return [(path, form) for path, answer in pages.items() if "html" in answer.header("content-type")
            for form in answer.page.forms if form.method == "post"]


def plain(text: str) -> str:
    """Returns a text without the escapes of HTML and of addresses."""
    return unquote(html.unescape(text))


def token_of(answer: Answer) -> str:
    return next(value for form in answer.page.forms for name, value in form.fields if name == TOKEN)


def state(instance: Instance, deliveries: list[int]) -> list[object]:
    """Returns what an attack on the other service could change."""
    shown = [instance.json("delivery", "show", str(each)) for each in deliveries]
    return [[each["state"], each["label"]] for each in shown] + [
        instance.json("subscribers", "count", "--app", "secretb-ios"), instance.run("template", "list"),
        instance.json("app", "show", "secretb-ios")]


@attack
def an_admin_without_a_fresh_password(scene: Scene) -> str:
    """The attacker uses a browser that the victim left open, and manages people."""
    instance = scene.instance()
    client = scene.signed_in(instance, "boss", "admin")
    pages = crawl(client)
    forms = [(page, form) for page, form in posts(pages) if form.action.startswith("/console/people")]
    instance.change_store("UPDATE session SET checked_ms = checked_ms - 11 * 60000")
    token = token_of(pages["/console/"])

    def demand(**fields: str) -> Answer:
        return client.send("POST", "/console/password", {TOKEN: token, "next": "/"} | fields)

    # A session is looked up again after a second at the latest.
    until("the console to ask for the password", lambda: demand().status == 403)
    for page, form in forms:
        answer = client.submit(page, form)
        assert answer.status == 403 and answer.page.heading == "Confirm your password", (
            f"{form.action} answers {answer.status}")
    assert not [each for each in changes(instance, "boss") if each.startswith("user.")]
    assert demand(_password="a wrong password").status == 403
    assert demand(_password=PASSWORD).status == 303
    assert demand().status == 303
    return f"{len(forms)} forms ask for the password first"


@attack
def a_session_that_nobody_uses(scene: Scene) -> str:
    """The attacker finds a cookie after 8 hours without activity, or after a change of the password."""
    instance = scene.instance()
    client = scene.signed_in(instance, "mara", "viewer")
    assert is_signed_in(client)
    instance.change_store("UPDATE session SET ends_ms = 1000")
    until("the session to end", lambda: not is_signed_in(client))
    client.sign_in("mara", PASSWORD)
    assert is_signed_in(client)
    instance.run("user", "reset", "mara")
    until("the session to end", lambda: not is_signed_in(client))
    assert client.sign_in("mara", PASSWORD).status == 422, "the former password still works"
    return "the session has ended; a reset ends all sessions and voids the password"
