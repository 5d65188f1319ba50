"""The screens of the console, as a person uses them. Each name of a screen is only in this file."""

import re
from pathlib import Path

from browser import Browser
from stage import confirm_password_if_asked, go

NUMBER = r"[\d,.  ]+"


def press_any(browser: Browser, name: str | re.Pattern) -> None:
    """Presses a button, or follows a link that looks like one."""
    if browser.has("button", name):
        browser.press(name)
    else:
        browser.follow(name)


class Services:
    @staticmethod
    def create(browser: Browser, name: str, label: str = "") -> None:
        go(browser, "Services")
        press_any(browser, "New service")
        browser.fill("Name", name)
        if label:
            browser.fill("Label", label)
        browser.press("Create the service")
        confirm_password_if_asked(browser)
        browser.wait_to_see(label or name)


class Apps:
    @staticmethod
    def create_for_ios(browser: Browser, name: str, service: str, key: Path, key_id: str, team_id: str,
                       bundle_id: str) -> None:
        go(browser, "Apps")
        press_any(browser, "New app")
        browser.fill("Name", name)
        browser.choose("Service", service)
        browser.choose("Platform", "ios")
        browser.press("Continue")
        browser.fill("Bundle id", bundle_id)
        browser.upload("Key (.p8)", key)
        browser.fill("Key id", key_id)
        browser.fill("Team id", team_id)
        browser.press("Create the app")
        confirm_password_if_asked(browser)
        browser.wait_to_see(name)

    @staticmethod
    def test_connection(browser: Browser) -> None:
        browser.press("Test the connection")
        browser.wait_to_see("accepted")


class Imports:
    @staticmethod
    def upload(browser: Browser, app: str, file: Path) -> None:
        go(browser, "Import")
        browser.choose("App", app)
        browser.upload("CSV file", file)
        browser.press("Upload")

    @staticmethod
    def start(browser: Browser) -> None:
        browser.press(re.compile("^Import"))


class Composer:
    """The five steps. Each method ends with the button that leads to the next step."""

    @staticmethod
    def begin(browser: Browser) -> None:
        go(browser, "Home")
        browser.follow("New delivery")
        browser.press("Start writing")
        browser.find("navigation", "Steps")

    @staticmethod
    def open(browser: Browser, name: str) -> None:
        """Opens a draft."""
        browser.open("/console/drafts")
        browser.follow(name)
        browser.find("navigation", "Steps")

    @staticmethod
    def write(browser: Browser, name: str, title: str, body: str) -> None:
        browser.fill("Name", name)
        browser.fill(re.compile("^Title"), title)
        browser.fill(re.compile("^Text\\b"), body)

    @staticmethod
    def add_language(browser: Browser, tag: str, title: str, body: str) -> None:
        press_any(browser, re.compile("^Add language"))
        browser.fill("Language", tag)
        browser.press("Add")
        browser.fill(re.compile("^Title"), title)
        browser.fill(re.compile("^Text\\b"), body)

    @staticmethod
    def to_audience(browser: Browser) -> None:
        browser.press("Continue to audience")
        browser.find("region", "Will be sent to")

    @staticmethod
    def everyone(browser: Browser) -> None:
        browser.check("Everyone")
        browser.press("Continue to timing")

    @staticmethod
    def now(browser: Browser, per_second: int | None = None) -> None:
        browser.check("Now")
        if per_second:
            browser.fill("Messages per second", str(per_second))
        browser.press("Continue to proof")

    @staticmethod
    def proof(browser: Browser, user_keys: str) -> None:
        browser.fill("User keys", user_keys)
        browser.press("Send the proof")

    @staticmethod
    def to_review(browser: Browser) -> None:
        press_any(browser, "Continue to review")
        if not browser.script:
            browser.follow("Count the devices")
        browser.find("button", re.compile("^Send to"))

    @staticmethod
    def send(browser: Browser) -> None:
        button = re.compile(f"^Send to {NUMBER}")
        if browser.all("textbox", "Number of recipients"):
            count = re.search(NUMBER, browser.find("button", button).text.removeprefix("Send to"))
            browser.fill("Number of recipients", re.sub(r"\D", "", count[0]))
        browser.press(button)
        browser.find("region", "Funnel")


class Delivery:
    @staticmethod
    def figures(browser: Browser) -> str:
        """The text of the funnel, on one line."""
        return " ".join(browser.find("region", "Funnel").text.split())

    @staticmethod
    def stop(browser: Browser) -> None:
        press_any(browser, re.compile("^Stop"))
        browser.press("Stop for good")


class Compare:
    @staticmethod
    def deliveries(browser: Browser, *labels: str) -> None:
        go(browser, "Compare")
        for label in labels:
            browser.check(re.compile(re.escape(label)))
        browser.press("Compare")


class Subscribers:
    @staticmethod
    def search(browser: Browser, text: str) -> None:
        go(browser, "Subscribers")
        browser.fill("User key, token or parameter", text)
        browser.press("Search")

    @staticmethod
    def show(browser: Browser, user_key: str) -> None:
        """Follows the link to a person in the result of a search."""
        browser.follow(user_key)
        browser.wait_for_heading(user_key)

    @staticmethod
    def opt_out(browser: Browser) -> None:
        press_any(browser, re.compile("^Opt out"))
        confirm(browser, "Opt out")

    @staticmethod
    def erase(browser: Browser) -> None:
        press_any(browser, re.compile("^Erase"))
        confirm(browser, "Erase")


class People:
    @staticmethod
    def create(browser: Browser, name: str, role: str) -> str:
        """Returns the path of the single-use link."""
        go(browser, "People")
        press_any(browser, "New person")
        browser.fill("Name", name)
        browser.choose("Role", role)
        browser.press("Create the person")
        confirm_password_if_asked(browser)
        browser.wait_to_see("/console/welcome?key=")
        return re.search(r"/console/welcome\?key=[\w-]+", browser.text)[0]


def confirm(browser: Browser, beginning: str) -> None:
    """Presses the button that confirms, if the console asks, and enters the password, if it asks for that."""
    confirm_password_if_asked(browser)
    if browser.has("button", re.compile(f"^{beginning}")):
        browser.press(re.compile(f"^{beginning}"))
        confirm_password_if_asked(browser)
