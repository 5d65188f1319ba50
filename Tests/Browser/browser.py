"""A headless Chromium that finds elements by role and accessible name, and that fails on every error."""

import base64
import importlib.resources
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from waiting import until

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
PHONE, LAPTOP, DESKTOP = (360, 740), (1280, 800), (1920, 1080)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
# The elements that can have a role. The browser computes roles and names itself.
CANDIDATES = {
    "button": "button, summary, input[type=submit], input[type=button], [role=button]",
    "link": "a[href], [role=link]",
    "textbox": "input, textarea, [role=textbox]",
    "searchbox": "input[type=search], [role=searchbox]",
    "spinbutton": "input[type=number]",
    "checkbox": "input[type=checkbox]",
    "radio": "input[type=radio]",
    "combobox": "select, input, [role=combobox]",
    "listbox": "select, [role=listbox]",
    "heading": "h1, h2, h3, h4, h5, h6, [role=heading]",
    "alert": "[role=alert]",
    "status": "output, [role=status]",
    "dialog": "dialog, [role=dialog]",
    "navigation": "nav",
    "region": "section, aside, [role=region]",
    "table": "table",
    "row": "tr, [role=row]",
    "group": "fieldset, details, [role=group]",
    "progressbar": "progress, [role=progressbar]",
}
# Chromium's own names of roles that differ from those of ARIA.
SYNONYMS = {"region": {"region", "complementary"},
            "textbox": {"textbox", "textField", "TextField"}, "combobox": {"combobox", "comboBoxSelect", "listbox"},
            "button": {"button", "DisclosureTriangle", "disclosureTriangle"}}
FIND = """
const [root, selector, roles, name, isPattern] = arguments;
const squeeze = text => (text || '').replace(/[\u2066-\u2069]/g, '').replace(/\\s+/g, ' ').trim();
const pattern = isPattern ? new RegExp(name) : null;
return [...(root || document).querySelectorAll(selector)].filter(element => {
  if (!element.checkVisibility({visibilityProperty: true}) && element.type !== 'file') return false;
  if (roles && !roles.includes(element.computedRole)) return false;
  if (name === null) return true;
  const own = squeeze(element.computedName);
  return pattern ? pattern.test(own) : own === name;
});
"""
NAMES = """
const [selector] = arguments;
return [...document.querySelectorAll(selector)].filter(element => element.checkVisibility()).map(
  element => element.computedRole + ' "' + (element.computedName || '').replace(/\\s+/g, ' ').trim() + '"');
"""


class Browser:
    """One browser with its own cookies. As a context, it ends with `finish`, which fails if there was a problem."""

    def __init__(self, origin: str, shots: Path, size: tuple[int, int] = LAPTOP, *, dark: bool = False,
                 script: bool = True, language: str = "en") -> None:
        self.origin, self.shots, self.size, self.dark, self.script = origin, shots, size, dark, script
        self.problems: list[str] = []
        # The statuses of answers that a story expects, such as 403.
        self.expected_statuses: set[int] = set()
        # Whether the page may fail to reach the server, because a story has stopped it.
        self.expects_interruption = False
        # Other servers that the browser may visit, such as a provider with which people sign in.
        self.other_origins: list[str] = []
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-domain-reliability", "--enable-blink-features=ComputedAccessibilityInfo",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--lang={language}",
            # Instances with HTTPS have a certificate of their own.
            f"--window-size={size[0]},{size[1]}", "--force-color-profile=srgb", "--ignore-certificate-errors",
        ]:
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": language,
                                                  "credentials_enable_service": False,
                                                  "profile.password_manager_leak_detection": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(120)
        self.resize(size)
        self.emulate_colours(dark)
        if not script:
            self._permit_script(False)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.driver.quit()

    # Settings

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size
        self._devtools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                       mobile=False)

    def emulate_colours(self, dark: bool) -> None:
        self.dark = dark
        self._devtools("Emulation.setEmulatedMedia",
                       features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                 {"name": "prefers-reduced-motion", "value": "reduce"}])

    def _permit_script(self, permitted: bool) -> None:
        self._devtools("Emulation.setScriptExecutionDisabled", value=not permitted)

    def _devtools(self, command: str, **parameters: object) -> dict:
        return self.driver.execute_cdp_cmd(command, parameters)

    # Pages

    def open(self, path: str) -> None:
        self.driver.get(self.origin + path if path.startswith("/") else path)
        self._watch()

    def back(self) -> None:
        self.driver.back()
        self._watch()

    def reload(self) -> None:
        self.driver.refresh()
        self._watch()

    @property
    def path(self) -> str:
        return urlsplit(self.driver.current_url).path

    @property
    def text(self) -> str:
        return self._plain("document.body ? document.body.innerText : ''")

    @property
    def heading(self) -> str:
        """The text of the page's first heading of level 1."""
        return self._plain("(document.querySelector('h1') || {innerText: ''}).innerText.trim()")

    def _plain(self, text: str) -> str:
        """Returns a text without the characters that isolate the direction of names."""
        return self.driver.execute_script(f"return ({text}).replace(/[\u2066-\u2069]/g, '')")

    def value(self, script: str, *arguments: object) -> object:
        """Returns the value of an expression in the page."""
        return self.driver.execute_script(f"return {script}", *arguments)

    # Elements

    def all(self, role: str, name: str | re.Pattern | None = None, within: WebElement | None = None
            ) -> list[WebElement]:
        """Returns the visible elements with this role and accessible name. A pattern is searched in the name."""
        pattern = isinstance(name, re.Pattern)
        text = name.pattern if pattern else name
        roles = sorted(SYNONYMS.get(role, {role}) | {role})
        # The browser knows no role for a file control.
        return self.driver.execute_script(FIND, within, CANDIDATES[role], roles, text, pattern)

    def find(self, role: str, name: str | re.Pattern | None = None, within: WebElement | None = None) -> WebElement:
        def explain() -> str:
            there = self.driver.execute_script(NAMES, CANDIDATES[role])
            return f"{self.path} ({self.heading}) has {', '.join(there[:60]) or 'none'}"

        return until(f"the {role} {name}", lambda: self.all(role, name, within), 20, explain)[0]

    def control(self, label: str | re.Pattern, within: WebElement | None = None) -> WebElement:
        """Returns the form control with this label."""
        pattern = isinstance(label, re.Pattern)
        selector = "input:not([type=hidden]), select, textarea"
        arguments = (within, selector, None, label.pattern if pattern else label, pattern)
        return until(f"the control {label}", lambda: self.driver.execute_script(FIND, *arguments), 20,
                     lambda: f"{self.path} ({self.heading}) has {self.driver.execute_script(NAMES, selector)}")[0]

    def has(self, role: str, name: str | re.Pattern) -> bool:
        return bool(self.all(role, name))

    def sees(self, text: str) -> bool:
        return " ".join(text.split()) in " ".join(self.text.split())

    # Actions

    def press(self, name: str | re.Pattern, within: WebElement | None = None) -> None:
        """Presses the button with this name."""
        self._activate("button", name, within)

    def follow(self, name: str | re.Pattern, within: WebElement | None = None) -> None:
        """Follows the link with this name."""
        self._activate("link", name, within)

    def _activate(self, role: str, name: str | re.Pattern, within: WebElement | None) -> None:
        def attempt() -> bool:
            # A fragment that is refreshed may replace an element between two commands.
            try:
                element = self.find(role, name, within)
                self._centre(element)
                element.click()
                return True
            except StaleElementReferenceException:
                return False

        until(f"a click on the {role} {name}", attempt)
        self._watch()

    def _centre(self, element: WebElement) -> None:
        self.driver.execute_script(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)

    def fill(self, label: str | re.Pattern, text: str, within: WebElement | None = None) -> None:
        """Replaces the text in a form control as a person would type it."""
        element = self.control(label, within)
        if element.tag_name == "select":
            self.choose(label, text, within)
            return
        if element.get_attribute("type") in {"date", "time", "datetime-local", "month", "color", "range"}:
            self._set_value(element, text)
            return
        self._centre(element)
        element.click()
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(Keys.DELETE)
        # The driver cannot type characters outside of the basic multilingual plane.
        if any(ord(character) > 0xFFFF for character in text) or len(text) > 1000:
            self._devtools("Input.insertText", text=text)
        else:
            element.send_keys(text)

    def _set_value(self, element: WebElement, text: str) -> None:
        self.driver.execute_script(
            "arguments[0].value = arguments[1];"
            "for (const kind of ['input', 'change']) arguments[0].dispatchEvent(new Event(kind, {bubbles: true}))",
            element, text)

    def choose(self, label: str | re.Pattern, option: str, within: WebElement | None = None) -> None:
        """Chooses an option of a list."""
        element = self.control(label, within)
        for candidate in element.find_elements("tag name", "option"):
            if option in {candidate.text.strip(), candidate.get_attribute("value")}:
                candidate.click()
                return
        raise AssertionError(f"the list {label} has no option {option}: {element.text.split(chr(10))}")

    def check(self, label: str | re.Pattern, within: WebElement | None = None) -> None:
        """Selects a radio button or a check box."""
        element = self.control(label, within)
        if not element.is_selected():
            self._centre(element)
            element.click()

    def upload(self, label: str, file: Path) -> None:
        # Chromium appends the chosen file to the name of a file control.
        self.control(re.compile(f"^{re.escape(label)}: ")).send_keys(str(file))

    def type(self, *keys: str) -> None:
        """Sends keys to the element that has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)
        self._watch()

    @property
    def focused(self) -> str:
        """The role and name of the element that has the focus."""
        return self.driver.execute_script(
            "const e = document.activeElement; return e.computedRole + ' ' + (e.computedName || '').trim()")

    # Expectations

    def wait_to_see(self, text: str, seconds: float = 60) -> None:
        until(f"the text “{text}”", lambda: self._quietly(lambda: self.sees(text)), seconds,
              lambda: f"{self.path} shows: {self.text[:1500]}")

    def wait_for_heading(self, text: str | re.Pattern, seconds: float = 60) -> None:
        def matches() -> bool:
            return bool(text.search(self.heading)) if isinstance(text, re.Pattern) else self.heading == text

        until(f"the heading “{text}”", lambda: self._quietly(matches), seconds,
              lambda: f"{self.path} has the heading “{self.heading}” and shows: {self.text[:1500]}")

    def wait_for_path(self, pattern: str, seconds: float = 60) -> re.Match:
        return until(f"a path like {pattern}", lambda: re.search(pattern, self.path), seconds,
                     lambda: f"{self.path} shows: {self.text[:1500]}")

    def _quietly(self, condition) -> bool:
        # The page may be replaced while the condition is evaluated.
        try:
            return condition()
        except WebDriverException:
            return False

    # Checks

    def examine(self, name: str, sizes: list[tuple[int, int]] | None = None, dark: bool | None = None) -> None:
        """Takes an image of the page in each size, and records violations of WCAG and content that overflows."""
        before = self.size, self.dark
        for size in sizes or [self.size]:
            for is_dark in [self.dark] if dark is None else [False, True] if dark else [False]:
                self.resize(size)
                self.emulate_colours(is_dark)
                label = f"{name}-{size[0]}-{'dark' if is_dark else 'light'}"
                self.shoot(label)
                self._check_width(label)
                self.problems += [f"{label}: {each}" for each in self.violations()]
        self.resize(before[0])
        self.emulate_colours(before[1])
        self._watch()

    def shoot(self, name: str) -> None:
        self.shots.mkdir(parents=True, exist_ok=True)
        image = self._devtools("Page.captureScreenshot", captureBeyondViewport=True)
        (self.shots / f"{name}.png").write_bytes(base64.b64decode(image["data"]))

    def _check_width(self, label: str) -> None:
        width = self.value("document.documentElement.scrollWidth")
        if width > self.size[0]:
            self.problems.append(f"{label}: {self.path} is {width} px wide and scrolls sideways")

    def violations(self) -> list[str]:
        """Returns what axe finds against WCAG 2.2, levels A and AA."""
        if not self.script:
            # The page was loaded without its scripts, which do not run afterwards either.
            self._permit_script(True)
        try:
            self.driver.execute_script(
                importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
            # The header that stays at the top covers parts of a page that is scrolled.
            result = self.driver.execute_async_script(
                "scrollTo(0, 0); const done = arguments[1];"
                "axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}, resultTypes: ['violations']})"
                ".then(done, error => done({violations: [], error: String(error)}))", RULES)
        finally:
            if not self.script:
                self._permit_script(False)
        if "error" in result:
            return [f"axe failed: {result['error']}"]
        return [
            f"axe {violation['id']} ({violation['help']}): {node['html'][:160]} {' '.join(node['target'])}: "
            + "; ".join(each["message"] for kind in ("any", "all", "none") for each in node[kind])[:200]
            for violation in result["violations"] for node in violation["nodes"]]

    def _watch(self) -> None:
        """Records errors of the console, violations of the policy, and requests to other hosts."""
        for entry in self.driver.get_log("browser"):
            self._judge_message(entry["level"], entry["message"])
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self._judge_request(event["params"]["request"]["url"])
            elif event["method"] == "Network.responseReceived":
                self._judge_answer(event["params"])

    def _judge_message(self, level: str, message: str) -> None:
        status = re.search(r"responded with a status of (\d+)", message)
        if status and int(status[1]) in self.expected_statuses:
            return
        if self.expects_interruption and re.search(r"net::ERR_|Failed to fetch", message):
            return
        if level in {"SEVERE", "WARNING"} or "Content Security Policy" in message:
            self.problems.append(f"console of {self.path}: {message}")

    def _judge_request(self, url: str) -> None:
        origins = [f"{origin}/" for origin in [self.origin, *self.other_origins]]
        if not url.startswith((*origins, "data:", "about:", "chrome-error:", "file:", "blob:null")):
            self.problems.append(f"{self.path} sent a request to {url}")

    def _judge_answer(self, event: dict) -> None:
        answer = event["response"]
        if event["type"] != "Document" or not answer["url"].startswith(self.origin + "/"):
            return
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        if headers.get("content-security-policy") != POLICY:
            self.problems.append(f"{answer['url']} has the policy {headers.get('content-security-policy')}")

    def finish(self) -> None:
        self._watch()
        if self.problems:
            raise AssertionError("\n".join(dict.fromkeys(self.problems)))
