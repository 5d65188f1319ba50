"""Attacks that put scripts and odd texts into every field that is shown."""

from urllib.parse import quote

from attacks import Scene, attack, check_no_inline
from forms import Answer, Form, crawl, shape
from world import MARK, ODD_NAME, SCRIPT, furnish


def check_escaped(answer: Answer) -> None:
    """Fails if a text became markup."""
    if not answer.header("content-type").startswith("text/html"):
        return
    check_no_inline(answer)
    for tag, attributes in answer.page.elements:
        assert MARK not in tag, f"{answer.path} has the element {tag}"
        assert not any(MARK in name for name in attributes), f"{answer.path}: {tag} {attributes}"


def posts(answers: dict[str, Answer]) -> list[tuple[str, Form]]:
    """Returns one form of each kind, with the page that contains it."""
    found = {}
    for path, answer in answers.items():
        if answer.status < 400 and answer.header("content-type").startswith("text/html"):
            for form in answer.page.forms:
                if form.method == "post":
                    found.setdefault((shape(form.action), tuple(sorted(form.typed))), (path, form))
    return list(found.values())


@attack
def scripts_in_stored_texts(scene: Scene) -> str:
    """A device, a program or a colleague stores scripts in labels, names, user keys, parameters and contents."""
    instance = scene.instance(rules=f"f* status 400 Bad<{MARK}>\n")
    furnish(instance, "shop", SCRIPT)
    furnish(instance, "other", ODD_NAME)
    client = scene.signed_in(instance, "mara", "admin")
    answers = crawl(client)
    shown = sum(MARK in answer.text for answer in answers.values())
    for answer in answers.values():
        assert answer.status < 500, f"{answer.path} answers {answer.status}"
        check_escaped(answer)
    return f"{len(answers)} pages, {shown} of them with the texts, all escaped"


@attack
def scripts_in_form_fields(scene: Scene) -> str:
    """A colleague types scripts into every field of every form."""
    instance = scene.instance()
    furnish(instance, "shop")
    client = scene.signed_in(instance, "mara", "admin")
    answers = crawl(client)
    fields = 0
    for page, form in posts(answers):
        if form.action.endswith(("/sign-out", "/password")):
            continue
        for text in (SCRIPT, ODD_NAME, "a" * 10_000, "\x00\x1b\u2028", "javascript:xss9()"):
            values = {name: text for name in form.typed}
            for button in form.buttons[:1] or [None]:
                sent = form.filled(**values) + ([button] if button else [])
                answer = client.submit(page, form, sent)
                fields += len(values)
                assert answer.status < 500, f"{form.action} answers {answer.status}: {answer.text[:500]}"
                check_escaped(answer)
    for answer in crawl(client).values():
        assert answer.status < 500, f"{answer.path} answers {answer.status}"
        check_escaped(answer)
    return f"{fields} fields; every page that shows them escapes them"


@attack
def scripts_in_addresses(scene: Scene) -> str:
    """The victim follows a link with a script in its path or query."""
    instance = scene.instance()
    furnish(instance, "shop")
    client = scene.signed_in(instance, "mara", "admin")
    evil, count = quote(SCRIPT), 0
    paths = {path.split("?")[0] for path in crawl(client)}
    names = {name for answer in crawl(client).values() if "html" in answer.header("content-type")
             for form in answer.page.forms if form.method == "get" for name, _ in form.fields}
    for path in sorted(paths):
        for query in ("", *(f"?{name}={evil}" for name in sorted(names | {"next", "notice", "q", "after", "cursor"}))):
            for target in ([path + query] if query else [f"{path.rstrip('/')}/{evil}"]):
                answer, count = client.send("GET", target), count + 1
                assert answer.status < 500, f"{target} answers {answer.status}"
                check_escaped(answer)
    stranger = scene.client(instance)
    for target in (f"/console/sign-in?next={evil}", f"/console/welcome?key={evil}", f"/console/{evil}"):
        check_escaped(stranger.send("GET", target))
    check_escaped(stranger.send("POST", "/console/sign-in", {"name": SCRIPT, "password": "x", "next": SCRIPT}))
    kept = {f"_kept.{SCRIPT}": SCRIPT, "_action": SCRIPT, "name": SCRIPT, "password": "x"}
    check_escaped(stranger.send("POST", "/console/sign-in", kept))
    return f"{count} addresses, all escaped"


@attack
def notices_of_the_attacker(scene: Scene) -> str:
    """The victim follows a link, or has a cookie, that makes the console show a text of the attacker."""
    instance = scene.instance()
    client = scene.signed_in(instance, "mara", "viewer")
    text = "Call 0800 and state your password"
    for query in ("notice", "message", "error", "next"):
        assert text not in client.send("GET", f"/console/?{query}={quote(text)}").text.replace(quote(text), "")
    client.cookies["pushmta-notice"] = quote(text)
    assert "0800" not in client.send("GET", "/console/").text
    return "notices are of a fixed set"
