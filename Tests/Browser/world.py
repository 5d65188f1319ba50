"""An instance full of objects: two services, each with apps, subscribers, deliveries, templates and a webhook."""

import json
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from instance import Instance
from stage import wait_for_state

# A tag and an attribute that no page has, unless a text is not escaped.
MARK = "xss9"
SCRIPT = f"<{MARK}>\"'><img src=x onerror={MARK}() {MARK}=1><script>{MARK}()</script>&lt;{MARK}&gt;"
OVERRIDE = "\u202e"
ODD_NAME = f"{OVERRIDE}txet desrever " + "é漢字🎉" * 3


def furnish(instance: Instance, service: str, text: str = "", subscribers: int = 30) -> list[int]:
    """Creates a service with one object of each kind. `text` is in every free text.

    Returns the ids of the deliveries: a finished one, one that starts in a week, and one that is paused."""
    # Labels must not contain invisible characters; contents and user keys may.
    label = f"{service} {text.replace(OVERRIDE, '')}".strip()
    instance.run("service", "create", service, "--label", label)
    app = f"{service}-ios"
    instance.create_app(app, service)
    instance.import_subscribers(subscribers, app)
    if text:
        file = instance.write("odd.csv", "token,userKey,firstName,city,points\n" + ",".join(
            ["f" * 64, *(f'"{each.replace(chr(34), chr(34) * 2)}"' for each in (text, text, text)), "1"]) + "\n")
        instance.run("subscribers", "import", "--app", app, file)
        status, answer = instance.register(
            app, registrationToken="e" * 64, userKey=text, osName=text, osVersion=text, osLanguage="en-GB",
            deviceModel=text)
        assert status in {200, 400}, answer
        instance.register(f"unknown-{text}", registrationToken="e" * 64, userKey=text)
    content = {"title": f"{label} {text}", "body": f"{label} body {text}", "variables": {"screen": text or "offers"}}
    template = instance.write("template.json", json.dumps({"content": content}))
    instance.run("template", "save", f"{service}-template", "--service", service, template)
    instance.run("webhook", "create", f"{service}-hook", "--url",
                 f"http://127.0.0.1:9/{quote(text)}", "--event", "failed")
    finished = instance.submit(label, service, content=content)
    later = (datetime.now(UTC) + timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    scheduled = instance.submit(f"{label} next week", service, content=content, schedule={"startAt": later})
    paused = instance.submit(f"{label} paused", service, content=content, schedule={"ratePerSecond": 1})
    instance.run("delivery", "pause", str(paused))
    wait_for_state(instance, finished, "finished")
    instance.run("quarantine", "add", "--app", app, "--token", f"{1:064x}", "--reason",
                 f"test device {text.replace(OVERRIDE, '')}".strip())
    return [finished, scheduled, paused]
