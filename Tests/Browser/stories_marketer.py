"""Stories about a marketer's work, from an app to a comparison."""

import re

from browser import DESKTOP, LAPTOP, PHONE, Browser
from instance import BUNDLE_ID, KEY_ID, TEAM_ID, Instance
from pages import Apps, Compare, Composer, Delivery, Imports, Services, Subscribers, press_any
from stage import Stage, enter_password, go, sign_in, story, wait_for_state
from waiting import until
from world import ODD_NAME, SCRIPT

SIZES = [PHONE, LAPTOP, DESKTOP]


def shop(stage: Stage, subscribers: int = 30, **options: object) -> Instance:
    instance = stage.instance(**options)
    instance.create_service()
    instance.create_app()
    instance.import_subscribers(subscribers)
    return instance


def newest(instance: Instance) -> dict:
    return instance.json("delivery", "list")[0]


def labels(instance: Instance) -> list[str]:
    return [each["label"] for each in instance.json("delivery", "list")]


@story(short=True)
def an_operator_creates_an_app_imports_subscribers_and_a_campaign_reaches_them(stage: Stage) -> None:
    instance = stage.instance()
    sizes = [LAPTOP] if stage.short else SIZES
    browser = stage.signed_in(instance, "mara", "admin")
    Services.create(browser, "shop", "Example shop")
    Apps.create_for_ios(browser, "shop-ios", "shop", instance.folder / f"certs/AuthKey_{KEY_ID}.p8", KEY_ID, TEAM_ID,
                        BUNDLE_ID)
    Apps.test_connection(browser)
    browser.examine("app", sizes, dark=not stage.short)
    Imports.upload(browser, "shop-ios", instance.write(
        "people.csv", instance.write_subscribers(200).read_text() + "not-a-token,user-x,Eva,Rome,1\n"))
    browser.examine("import-columns", sizes)
    Imports.start(browser)
    browser.wait_to_see("200")
    press_any(browser, re.compile("^Download.*rejected"))
    browser.examine("import-done", sizes)
    send_campaign(browser, instance, sizes)
    delivery = newest(instance)["id"]
    wait_for_state(instance, delivery, "finished")
    until("the page to show that all are sent", lambda: re.search(r"Sent 200", Delivery.figures(browser)),
          explain=lambda: Delivery.figures(browser))
    # A device reports, and the open page shows it without being loaded again.
    instance.report(delivery, 1, 3)
    instance.report(delivery, 2, 2)
    until("the page to show two clicks", lambda: re.search(r"Clicked 2\b", Delivery.figures(browser)),
          explain=lambda: Delivery.figures(browser))
    browser.examine("delivery-finished", sizes, dark=not stage.short)
    instance.submit("Second campaign")
    wait_for_state(instance, newest(instance)["id"], "finished")
    Compare.deliveries(browser, "Spring sale", "Second campaign")
    browser.wait_to_see("Spring sale")
    browser.wait_to_see("Second campaign")
    browser.examine("compare", sizes, dark=not stage.short)


def send_campaign(browser: Browser, instance: Instance, sizes: list[tuple[int, int]]) -> None:
    Composer.begin(browser)
    Composer.write(browser, "Spring sale", "{{firstName|Hello}}, spring is here", "20 % off in {{city|your city}}")
    # The preview is refreshed while the person types.
    until("the preview", lambda: "spring is here" in browser.find("region", "Preview").text)
    Composer.add_language(browser, "de", "{{firstName|Hallo}}, der Frühling ist da", "20 % Rabatt")
    browser.examine("composer-content", sizes)
    Composer.to_audience(browser)
    until("the count", lambda: "200" in browser.find("region", "Will be sent to").text)
    browser.examine("composer-audience", sizes)
    Composer.everyone(browser)
    browser.examine("composer-timing", sizes)
    Composer.now(browser)
    browser.examine("composer-proof", sizes)
    Composer.proof(browser, "user-1")
    until("the proof", lambda: any("proof" in str(each).lower() for each in instance.json("delivery", "list")))
    Composer.to_review(browser)
    browser.examine("composer-review", sizes)
    Composer.send(browser)


@story()
def a_marketer_pauses_resumes_and_stops_a_delivery(stage: Stage) -> None:
    instance = shop(stage, 300)
    delivery = instance.submit("Slow campaign", schedule={"ratePerSecond": 5})
    browser = stage.signed_in(instance, "mara", "marketer")
    go(browser, "Home")
    browser.wait_to_see("Slow campaign")
    browser.follow("Slow campaign")
    browser.wait_for_heading("Slow campaign")
    browser.press("Pause")
    wait_for_state(instance, delivery, "paused")
    browser.wait_to_see("Paused")
    browser.examine("delivery-paused", SIZES, dark=True)
    browser.press("Resume")
    wait_for_state(instance, delivery, "preparing", "inProgress")
    Delivery.stop(browser)
    wait_for_state(instance, delivery, "stopped")
    browser.wait_to_see("Stopped")
    browser.examine("delivery-stopped", SIZES)
    who = {each["who"] for each in instance.json("audit")["items"] if each["action"].startswith("delivery.p")}
    assert any(each.startswith("person mara") for each in who), who


@story()
def a_subscriber_is_opted_out_and_erased(stage: Stage) -> None:
    instance = shop(stage)
    instance.submit("Hello")
    browser = stage.signed_in(instance, "mara", "operator")
    Subscribers.search(browser, "user-7")
    browser.examine("subscribers", SIZES, dark=True)
    Subscribers.show(browser, "user-7")
    browser.examine("subscriber", SIZES, dark=True)
    Subscribers.opt_out(browser)
    until("the opt-out", lambda: instance.json("subscribers", "count")[0]["optedOut"] == 1)
    browser.wait_to_see("Opted out")
    Subscribers.erase(browser)
    until("the erasure", lambda: "user-7\"" not in instance.run("subscribers", "list", "--app", "shop-ios", "--json"))


@story(short=True)
def the_back_button_after_sending_does_not_send_twice(stage: Stage) -> None:
    instance = shop(stage)
    browser = stage.signed_in(instance, "mara", "marketer")
    browser.expected_statuses |= {409, 422, 404}
    compose_to_review(browser, "Once only")
    Composer.send(browser)
    browser.back()
    if browser.has("button", re.compile("^Send to")):
        browser.press(re.compile("^Send to"))
    until("one delivery", lambda: "Once only" in labels(instance))
    assert labels(instance).count("Once only") == 1, labels(instance)


@story(short=True)
def the_back_button_does_not_create_a_second_draft(stage: Stage) -> None:
    instance = shop(stage)
    browser = stage.signed_in(instance, "mara", "marketer")
    Composer.begin(browser)
    first = browser.driver.current_url
    browser.back()
    browser.press("Start writing")
    until("the draft", lambda: browser.driver.current_url == first, explain=lambda: browser.driver.current_url)
    assert len(instance.json("draft", "list")["items"]) == 1, instance.json("draft", "list")
    Composer.begin(browser)
    until("a second draft", lambda: len(instance.json("draft", "list")["items"]) == 2)


@story()
def two_people_edit_one_draft_and_nothing_is_lost(stage: Stage) -> None:
    instance = shop(stage)
    first = stage.signed_in(instance, "mara", "marketer")
    second = stage.signed_in(instance, "oskar", "marketer")
    second.expected_statuses |= {409, 412}
    Composer.begin(first)
    Composer.write(first, "Shared draft", "The first title", "The first body")
    first.press("Save and close")
    for browser in (first, second):
        Composer.open(browser, "Shared draft")
    first.fill(re.compile("^Title"), "Title of Mara")
    first.press("Save and close")
    second.fill(re.compile("^Title"), "Title of Oskar")
    second.press("Save and close")
    second.wait_to_see("mara")
    text = second.text + " ".join(map(str, second.value(
        "[...document.querySelectorAll('input, textarea')].map(each => each.value)")))
    assert "Title of Oskar" in text and "Title of Mara" in text, text
    second.examine("draft-conflict", SIZES)


@story()
def a_session_that_ends_during_an_edit_loses_nothing(stage: Stage) -> None:
    instance = shop(stage)
    browser = stage.signed_in(instance, "mara", "marketer")
    browser.expected_statuses.add(401)
    Composer.begin(browser)
    Composer.write(browser, "Long edit", "A title that took an hour", "A body")
    browser.driver.delete_cookie("pushmta-local")
    browser.press("Continue to audience")
    browser.wait_for_heading("Sign in")
    browser.wait_to_see("Your input is kept")
    browser.examine("sign-in-kept-form", SIZES)
    enter_password(browser, "mara")
    browser.wait_for_heading("Welcome back")
    browser.examine("welcome-back")
    browser.press("Submit the form")
    browser.find("region", "Will be sent to")
    browser.follow(re.compile(r"\bContent\b"), browser.find("navigation", "Steps"))
    assert browser.control(re.compile("^Title")).get_attribute("value") == "A title that took an hour"


@story()
def odd_names_and_long_contents_neither_break_the_layout_nor_run(stage: Stage) -> None:
    instance = shop(stage)
    content = {"title": f"{ODD_NAME} {SCRIPT}", "body": "long " * 600}
    instance.submit("W" * 120, content=content)
    instance.submit(SCRIPT, content=content)
    instance.register("shop-ios", registrationToken="e" * 64, userKey=f"{ODD_NAME}-{SCRIPT}")
    browser = stage.signed_in(instance, "mara", "admin", size=PHONE)
    for place in ("Home", "Deliveries", "Subscribers"):
        go(browser, place)
        browser.examine(f"odd-{place.lower()}", SIZES)
    for label in ("W" * 120, SCRIPT):
        go(browser, "Deliveries")
        browser.follow(re.compile("^" + re.escape(label)))
        browser.find("region", "Funnel")
        browser.examine("odd-delivery", SIZES)
    assert not browser.value("'xss9' in window && window.xss9")


@story()
def a_marketer_composes_and_sends_without_script(stage: Stage) -> None:
    instance = shop(stage)
    stage.person(instance, "mara", "marketer")
    browser = stage.browser(instance, PHONE, script=False)
    sign_in(browser, "mara")
    compose_to_review(browser, "Without script")
    Composer.send(browser)
    wait_for_state(instance, newest(instance)["id"], "finished")
    browser.reload()
    assert re.search(r"Sent 30", Delivery.figures(browser)), Delivery.figures(browser)


@story()
def a_marketer_of_one_service_sees_only_that_service(stage: Stage) -> None:
    instance = shop(stage)
    instance.create_service("secretb")
    instance.create_app("secretb-ios", "secretb")
    instance.import_subscribers(3, "secretb-ios", 100)
    instance.submit("secretb campaign", "secretb")
    instance.submit("Own campaign")
    browser = stage.signed_in(instance, "mara", "marketer", ["shop"])
    browser.wait_to_see("Own campaign")
    for place in ("Home", "Deliveries", "Subscribers", "Apps", "Services"):
        go(browser, place)
        assert "secretb" not in browser.text, f"{place}: {browser.text}"


@story()
def a_restart_during_an_edit_keeps_the_form(stage: Stage) -> None:
    instance = shop(stage)
    browser = stage.signed_in(instance, "mara", "marketer")
    browser.expects_interruption = True
    Composer.begin(browser)
    Composer.write(browser, "Restarted", "A title before the restart", "A body")
    instance.restart()
    Composer.to_audience(browser)
    browser.follow(re.compile(r"\bContent\b"), browser.find("navigation", "Steps"))
    assert browser.control(re.compile("^Title")).get_attribute("value") == "A title before the restart"


def compose_to_review(browser: Browser, name: str) -> None:
    Composer.begin(browser)
    Composer.write(browser, name, "A title", "A body")
    Composer.to_audience(browser)
    Composer.everyone(browser)
    Composer.now(browser)
    Composer.to_review(browser)
