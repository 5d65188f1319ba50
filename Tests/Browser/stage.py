"""What a story needs: an instance, browsers, and people who can sign in."""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from browser import LAPTOP, Browser
from instance import Instance
from waiting import SECONDS, until

PASSWORD = "violet otter lantern 42"


@dataclass
class Story:
    name: str
    body: Callable[["Stage"], None]
    # Whether `make test` runs the story.
    short: bool


ALL: list[Story] = []


def story(*, short: bool = False) -> Callable[[Callable[["Stage"], None]], Callable[["Stage"], None]]:
    """Registers a function as a story. The function's name states the behaviour."""
    def register(body: Callable[["Stage"], None]) -> Callable[["Stage"], None]:
        ALL.append(Story(body.__name__, body, short))
        return body

    return register


class Stage:
    """As a context, it ends everything that the story started, and fails if a browser recorded a problem."""

    def __init__(self, name: str, programs: Path, output: Path, short: bool) -> None:
        self.name, self.programs, self.short = name, programs, short
        self.shots, self.failed = output / "shots" / name, output / "failed" / name
        self.instances: list[Instance] = []
        self.browsers: list[Browser] = []

    def __enter__(self) -> "Stage":
        for folder in (self.shots, self.failed):
            shutil.rmtree(folder, ignore_errors=True)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is None:
                for browser in self.browsers:
                    browser.finish()
        except BaseException:
            kind = AssertionError
            raise
        finally:
            if kind is not None:
                self._keep_evidence()
            for browser in self.browsers:
                browser.driver.quit()
            for instance in self.instances:
                instance.end()

    def _keep_evidence(self) -> None:
        self.failed.mkdir(parents=True, exist_ok=True)
        for number, browser in enumerate(self.browsers, 1):
            try:
                (self.failed / f"page-{number}.html").write_text(browser.driver.page_source)
                (self.failed / f"problems-{number}.txt").write_text("\n".join(browser.problems))
                browser.shots = self.failed
                browser.shoot(f"page-{number}")
            except Exception as error:  # The browser may have ended, too.
                (self.failed / f"browser-{number}.txt").write_text(str(error))
        for number, instance in enumerate(self.instances, 1):
            for kind in ("out", "err"):
                log = instance.folder / f"service.{kind}"
                if log.exists():
                    shutil.copy(log, self.failed / f"service-{number}.{kind}")

    def instance(self, **options: object) -> Instance:
        instance = Instance(self.programs, **options)
        self.instances.append(instance)
        return instance.__enter__()

    def browser(self, instance: Instance, size: tuple[int, int] = LAPTOP, **options: object) -> Browser:
        browser = Browser(instance.origin, self.shots, size, **options)
        self.browsers.append(browser)
        return browser

    # People

    def person(self, instance: Instance, name: str, role: str, services: Sequence[str] = (),
               password: str = PASSWORD) -> None:
        """Creates a person who has a password."""
        link = instance.create_person(name, role, services)
        key = parse_qs(urlsplit(link).query)["key"][0]
        status, text = instance.request("POST", "/console/welcome", {
            "key": key, "name": name, "password": password, "again": password}, {"Origin": instance.origin})
        assert status == 303, f"the link of {name} was refused with {status}: {text}"

    def signed_in(self, instance: Instance, name: str, role: str, services: Sequence[str] = (),
                  size: tuple[int, int] = LAPTOP, **options: object) -> Browser:
        """Returns a browser in which a new person has signed in."""
        self.person(instance, name, role, services)
        browser = self.browser(instance, size, **options)
        sign_in(browser, name)
        browser.wait_for_heading("Home")
        return browser


def sign_in(browser: Browser, name: str, password: str = PASSWORD) -> None:
    browser.open("/console/sign-in")
    enter_password(browser, name, password)


def enter_password(browser: Browser, name: str, password: str = PASSWORD) -> None:
    """Fills in the page to sign in, which the browser shows."""
    browser.fill("Name", name)
    browser.fill("Password", password)
    browser.press("Sign in")


def go(browser: Browser, place: str) -> None:
    """Follows a link of the navigation, as a person does: on a narrow screen, behind the button Menu."""
    open_menu(browser)
    browser.follow(place, browser.find("navigation", "Main"))


def open_menu(browser: Browser) -> None:
    """Opens the navigation if it is hidden, as on a narrow screen."""
    if not browser.all("navigation", re.compile("^(Main|Hauptmenü)$")):
        browser.press(re.compile("^(Menu|Menü)$"))


def confirm_password_if_asked(browser: Browser) -> None:
    if browser.heading == "Confirm your password":
        browser.fill("Password", PASSWORD)
        browser.press("Continue")


def wait_for_state(instance: Instance, delivery: int, *states: str, seconds: float = SECONDS) -> dict:
    def shown() -> dict:
        return instance.json("delivery", "show", str(delivery))

    return until(f"delivery {delivery} to be {' or '.join(states)}",
                 lambda: (view := shown())["state"] in states and view, seconds, explain=lambda: str(shown()))
