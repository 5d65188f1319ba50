"""Stories about signing in and out, sessions, roles and languages."""

import re

from browser import DESKTOP, LAPTOP, PHONE, Browser, Keys
from provider import Provider
from stage import PASSWORD, Stage, enter_password, open_menu, sign_in, story
from waiting import until

SIZES = [PHONE, LAPTOP, DESKTOP]


@story(short=True)
def a_first_person_sets_a_password_through_the_link_and_signs_in(stage: Stage) -> None:
    instance = stage.instance()
    link = instance.create_person("mara", "admin")
    browser = stage.browser(instance)
    browser.open(link)
    browser.wait_for_heading("Welcome")
    browser.examine("welcome", [LAPTOP] if stage.short else SIZES, dark=not stage.short)
    browser.fill("New password", "too short")
    browser.fill("The same password again", "too short")
    browser.expected_statuses.add(422)
    browser.press("Set the password")
    browser.wait_to_see("12")
    assert browser.heading == "Welcome", browser.heading
    browser.examine("welcome-refused")
    browser.fill("New password", PASSWORD)
    browser.fill("The same password again", PASSWORD + "!")
    browser.press("Set the password")
    browser.wait_to_see("The two passwords differ")
    browser.fill("New password", PASSWORD)
    browser.fill("The same password again", PASSWORD)
    browser.press("Set the password")
    browser.wait_for_heading("Home")
    browser.examine("home-empty", [LAPTOP] if stage.short else SIZES, dark=not stage.short)
    # The link works only once.
    other = stage.browser(instance)
    other.expected_statuses.add(404)
    other.open(link)
    other.wait_for_heading("This link is not valid")
    other.examine("welcome-used")
    sign_in(other, "mara")
    other.wait_for_heading("Home")


@story(short=True)
def a_person_signs_out_and_the_pages_are_closed(stage: Stage) -> None:
    instance = stage.instance()
    browser = stage.signed_in(instance, "mara", "marketer")
    cookies = {each["name"]: each for each in browser.driver.get_cookies()}
    session = cookies["pushmta-local"]
    assert session["httpOnly"] and session["sameSite"] == "Lax" and session["path"] == "/", session
    browser.press("Sign out")
    browser.wait_for_heading("Sign in")
    browser.examine("sign-in", [LAPTOP] if stage.short else SIZES, dark=not stage.short)
    assert not [each for each in browser.driver.get_cookies() if each["name"] == "pushmta-local"]
    browser.back()
    browser.wait_for_heading("Sign in")
    # The server has ended the session, whatever cookie a browser still has.
    browser.driver.add_cookie({"name": "pushmta-local", "value": session["value"], "path": "/"})
    browser.open("/console/")
    browser.wait_for_heading("Sign in")


@story()
def repeated_wrong_passwords_are_delayed_and_reveal_no_names(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "mara", "viewer")
    texts: dict[str, list[str]] = {}
    for name in ("mara", "nobody-has-this-name"):
        browser = stage.browser(instance)
        browser.expected_statuses |= {422, 429}
        browser.open("/console/sign-in")
        for attempt in range(8):
            enter_password(browser, name, f"a wrong password {attempt}")
            until("an answer", lambda: "do not match" in browser.text or "too many" in browser.text)
            texts.setdefault(name, []).append(re.sub(r"\d+ \w+", "N", browser.text))
        assert "too many wrong passwords" in texts[name][-1], texts[name]
        if name == "mara":
            browser.examine("sign-in-delayed")
    assert texts["mara"][-1] == texts["nobody-has-this-name"][-1], texts
    # While the delay lasts, even the right password is refused.
    browser = stage.browser(instance)
    browser.expected_statuses |= {422, 429}
    browser.open("/console/sign-in")

    def is_delayed_for_long() -> bool:
        enter_password(browser, "mara", "a wrong password")
        until("an answer", lambda: "do not match" in browser.text or "too many" in browser.text)
        delay = re.search(r"too many wrong passwords\D*(\d+)\s(\w+)", browser.text)
        return bool(delay) and (int(delay[1]) > 10 or not delay[2].startswith("s"))

    until("a long delay", is_delayed_for_long, 180)
    enter_password(browser, "mara")
    browser.wait_to_see("too many wrong passwords")
    assert browser.heading == "Sign in", browser.heading


@story(short=True)
def a_page_leads_to_the_sign_in_and_back_to_itself(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "mara", "admin")
    browser = stage.browser(instance)
    browser.open("/console/?from=link")
    browser.wait_for_heading("Sign in")
    enter_password(browser, "mara")
    browser.wait_for_heading("Home")
    assert browser.value("location.search") == "?from=link", browser.driver.current_url
    browser.open("/")
    browser.wait_for_path(r"^/console/$")
    browser.open("/console")
    browser.wait_for_path(r"^/console/$")


@story()
def nobody_is_sent_to_another_site_after_signing_in(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "mara", "admin")
    for target in ("https://example.org/", "//example.org/", "/\\example.org", "javascript:alert(1)"):
        browser = stage.browser(instance)
        browser.open(f"/console/sign-in?next={target}")
        enter_password(browser, "mara")
        browser.wait_for_heading("Home")
        assert browser.driver.current_url.startswith(instance.origin + "/console"), browser.driver.current_url


@story(short=True)
def the_console_works_without_script(stage: Stage) -> None:
    instance = stage.instance()
    link = instance.create_person("mara", "admin")
    browser = stage.browser(instance, PHONE, script=False)
    browser.open(link)
    browser.fill("New password", PASSWORD)
    browser.fill("The same password again", PASSWORD)
    browser.press("Set the password")
    browser.wait_for_heading("Home")
    browser.examine("home-no-script", dark=not stage.short)
    visit_all_places(browser)
    sign_out(browser)
    browser.wait_for_heading("Sign in")


@story(short=True)
def a_person_signs_in_and_out_with_the_keyboard_only(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "mara", "marketer")
    browser = stage.browser(instance)
    browser.open("/console/sign-in")
    tab_to(browser, "textbox Name")
    browser.type("mara")
    tab_to(browser, re.compile("Password$"))
    browser.type(PASSWORD, Keys.ENTER)
    browser.wait_for_heading("Home")
    # The first stop of each page leads past the navigation.
    browser.type(Keys.TAB)
    assert browser.focused == "link Skip to content", browser.focused
    browser.type(Keys.ENTER)
    assert browser.value("document.activeElement.tagName") == "MAIN"
    browser.reload()
    assert_focus_is_visible(browser)
    tab_to(browser, "button Sign out")
    browser.type(Keys.ENTER)
    browser.wait_for_heading("Sign in")


@story(short=True)
def the_console_speaks_german(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "mara", "admin")
    browser = stage.browser(instance, language="de-DE")
    browser.open("/console/sign-in")
    browser.wait_for_heading("Anmelden")
    assert browser.value("document.documentElement.lang") == "de"
    browser.fill("Name", "mara")
    browser.fill("Passwort", PASSWORD)
    browser.press("Anmelden")
    browser.wait_for_heading("Übersicht")
    browser.examine("home-german", [LAPTOP] if stage.short else SIZES)
    # The person's choice counts more than the browser's.
    browser.press("English")
    browser.wait_for_heading("Home")
    assert browser.value("document.documentElement.lang") == "en"
    browser.press("Deutsch")
    browser.wait_for_heading("Übersicht")
    visit_all_places(browser, "Hauptmenü")


@story()
def unknown_addresses_show_a_page_that_states_what_to_do(stage: Stage) -> None:
    instance = stage.instance()
    browser = stage.signed_in(instance, "mara", "viewer")
    browser.expected_statuses |= {400, 404}
    for path in ("/console/nothing", "/console/deliveries/999999", "/console/%2e%2e%2fetc%2fpasswd",
                 "/console/deliveries/%00"):
        browser.open(path)
        assert browser.text, path
    browser.open("/console/nothing")
    browser.wait_for_heading("Not found")
    browser.examine("not-found", SIZES, dark=True)
    browser.follow("Go to Home")
    browser.wait_for_heading("Home")


@story()
def a_session_ends_on_all_pages_when_the_person_is_removed(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "boss", "admin")
    browser = stage.signed_in(instance, "mara", "viewer")
    instance.run("user", "remove", "mara")

    def ended() -> bool:
        browser.open("/console/")
        return browser.heading == "Sign in"

    until("the session to end", ended, 20)


@story(short=True)
def a_live_page_notices_the_end_of_its_session(stage: Stage) -> None:
    instance = stage.instance()
    stage.person(instance, "boss", "admin")
    browser = stage.signed_in(instance, "mara", "viewer")
    browser.expected_statuses.add(401)
    instance.run("user", "remove", "mara")
    browser.wait_to_see("Your session has ended. Sign in again.")


@story(short=True)
def a_page_that_is_open_survives_a_restart_of_the_service(stage: Stage) -> None:
    instance = stage.instance()
    browser = stage.signed_in(instance, "mara", "viewer")
    browser.expects_interruption = True
    browser.expected_statuses |= {503}
    instance.stop()
    browser.wait_to_see("The service does not answer. This page tries again.")
    browser.shoot("service-does-not-answer")
    instance.start()
    until("the page to recover", lambda: "does not answer" not in browser.text)
    # The session is in the store, so that the person need not sign in again.
    browser.open("/console/")
    browser.wait_for_heading("Home")


@story()
def a_session_over_https_uses_the_protected_cookie(stage: Stage) -> None:
    instance = stage.instance(secure=True)
    browser = stage.signed_in(instance, "mara", "viewer")
    session = next(each for each in browser.driver.get_cookies() if each["name"] == "__Host-pushmta")
    assert session["httpOnly"] and session["secure"] and session["sameSite"] == "Lax", session
    assert not [each for each in browser.driver.get_cookies() if not each["secure"]]
    browser.press("Sign out")
    browser.wait_for_heading("Sign in")


@story()
def each_role_sees_only_its_places(stage: Stage) -> None:
    instance = stage.instance()
    instance.create_service("shop")
    places = {}
    for role in ("viewer", "marketer", "operator", "admin"):
        # A new instance has a person named admin.
        browser = stage.signed_in(instance, f"the-{role}", role)
        places[role] = visit_all_places(browser)
        browser.examine(f"home-{role}")
        browser.driver.get("about:blank")
    for lower, higher in (("viewer", "marketer"), ("marketer", "operator"), ("operator", "admin")):
        missing = set(places[lower]) - set(places[higher])
        assert not missing, f"{higher} does not see {missing}, but {lower} does"
    assert "People" not in places["operator"], places
    assert "People" in places["admin"], places


@story()
def a_page_of_another_role_is_refused(stage: Stage) -> None:
    instance = stage.instance()
    browser = stage.signed_in(instance, "mara", "viewer")
    browser.expected_statuses.add(403)
    for path in ("/console/people", "/console/tokens"):
        browser.open(path)
        browser.wait_for_heading("Not permitted")
    browser.examine("not-permitted", SIZES, dark=True)


@story(short=True)
def a_person_signs_in_with_a_provider_confirms_there_and_signs_out(stage: Stage) -> None:
    with Provider() as provider:
        instance = stage.instance(provider=provider.element)
        instance.create_person("mara", "admin")
        browser = stage.browser(instance)
        browser.other_origins.append(provider.issuer)
        browser.expected_statuses.add(403)
        browser.open("/console/people/new")
        browser.wait_for_heading("Sign in")
        browser.examine("sign-in-provider", [LAPTOP] if stage.short else SIZES, dark=not stage.short)
        browser.follow(re.compile("^Sign in with .?the shop"))
        browser.wait_for_heading("The provider")
        browser.follow("Continue as stranger")
        browser.wait_for_heading("You are not signed in")
        browser.wait_to_see("which no person has here")
        browser.examine("sign-in-provider-refused")
        browser.follow("Back to signing in")
        browser.open("/console/people/new")
        browser.follow(re.compile("^Sign in with .?the shop"))
        browser.follow("Continue as mara")
        browser.wait_for_path(r"^/console/people/new$")
        instance.change_store("UPDATE session SET checked_ms = 0")
        tried: list[str] = []

        def is_asked_to_confirm() -> bool:
            tried.append(f"jonas-{len(tried)}")
            return create_person_with(browser, tried[-1]) == "Confirm that it is you"

        # The service notices the change within a second.
        until("the demand", is_asked_to_confirm)
        browser.examine("confirm-provider", [LAPTOP] if stage.short else SIZES, dark=not stage.short)
        first = browser.driver.current_window_handle
        browser.follow(re.compile("^Sign in with .?the shop"))
        until("another tab", lambda: len(browser.driver.window_handles) == 2)
        other = next(each for each in browser.driver.window_handles if each != first)
        browser.driver.switch_to.window(other)
        browser.wait_for_heading("The provider")
        browser.follow("Continue as mara")
        browser.wait_for_heading("Confirmed")
        browser.driver.close()
        browser.driver.switch_to.window(first)
        browser.press("Continue")
        browser.wait_to_see("/console/welcome?key=")
        people = instance.run("user", "list")
        assert tried[-1] in people and "stranger" not in people, people
        sign_out(browser)
        browser.wait_for_heading("Sign in")
        assert provider.prompts[-1] == "login" and provider.prompts[0] == "", provider.prompts


# Steps

def create_person_with(browser: Browser, name: str) -> str:
    """Submits the form for a new person, and returns the heading of the answer."""
    browser.open("/console/people/new")
    browser.fill("Name", name)
    browser.press("Create the person")
    return until("an answer", lambda: browser.heading != "New person" and browser.heading)


def visit_all_places(browser: Browser, navigation: str = "Main") -> list[str]:
    """Opens each page of the navigation, examines it, and returns the names."""
    names, seen = place_names(browser, navigation), []
    for name in names:
        open_menu(browser)
        browser.follow(name, browser.find("navigation", navigation))
        until(f"the page {name}", lambda: browser.heading)
        browser.examine("place-" + re.sub(r"\W+", "-", name.lower()))
        seen.append(name)
    return seen


def place_names(browser: Browser, navigation: str = "Main") -> list[str]:
    open_menu(browser)
    links = browser.find("navigation", navigation).find_elements("css selector", "li a")
    return [link.text.strip() for link in links]


def sign_out(browser: Browser) -> None:
    open_menu(browser)
    browser.press("Sign out")


def tab_to(browser: Browser, name: str | re.Pattern, limit: int = 120) -> None:
    """Presses Tab until the element with this role and name has the focus."""
    seen = []
    for _ in range(limit):
        focused = browser.focused
        if focused == name or isinstance(name, re.Pattern) and name.search(focused):
            return
        seen.append(focused)
        browser.type(Keys.TAB)
    raise AssertionError(f"Tab does not reach {name}: {seen}")


def assert_focus_is_visible(browser: Browser, limit: int = 60) -> None:
    """Checks that each stop of Tab has an outline or another visible change."""
    for _ in range(limit):
        browser.type(Keys.TAB)
        if browser.value("document.activeElement === document.body"):
            return
        visible = browser.value(
            "(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0"
            " || style.boxShadow !== 'none')"
            "(getComputedStyle(document.activeElement))")
        assert visible, f"the focus on {browser.focused} is not visible"
        inside = browser.value(
            "(box => box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth)"
            "(document.activeElement.getBoundingClientRect())")
        assert inside, f"the focus on {browser.focused} is outside of the window"
