"""Stories about an operator's work."""

import re

from browser import DESKTOP, LAPTOP, PHONE
from pages import People, confirm, press_any
from stage import PASSWORD, Stage, go, story, wait_for_state
from waiting import until
from world import furnish

SIZES = [PHONE, LAPTOP, DESKTOP]


@story()
def an_operator_sees_a_storm_and_discards_it(stage: Stage) -> None:
    # The gateway rejects every token, as it does if the topic or the environment is wrong.
    instance = stage.instance(rules="* status 410 Unregistered\n")
    instance.create_service()
    instance.create_app()
    instance.import_subscribers(1_500)
    instance.submit("A wrong credential")
    until("the storm", lambda: "shop-ios" in instance.run("quarantine", "storm", "show"), 180)
    browser = stage.signed_in(instance, "ole", "operator")
    go(browser, "Alarms")
    browser.wait_to_see("shop-ios", 120)
    browser.examine("alarms-storm", SIZES, dark=True)
    go(browser, "Quarantine")
    browser.wait_to_see("shop-ios")
    browser.examine("quarantine-storm", SIZES, dark=True)
    press_any(browser, re.compile("^Discard"))
    confirm(browser, "Discard")
    until("the decision", lambda: "shop-ios" not in instance.run("quarantine", "storm", "show"))
    quarantined = instance.json("subscribers", "count")[0]["quarantined"]
    assert quarantined == 0, quarantined


@story()
def an_operator_looks_through_all_places_of_a_busy_instance(stage: Stage) -> None:
    instance = stage.instance()
    furnish(instance, "shop")
    running = instance.submit("Running campaign", schedule={"ratePerSecond": 1})
    wait_for_state(instance, running, "preparing", "inProgress")
    browser = stage.signed_in(instance, "ole", "operator")
    for place, text in [("Alarms", ""), ("Accounts", "shop-ios"), ("Quarantine", "shop-ios"), ("Hosts", ""),
                        ("Webhooks", "shop-hook"), ("Store", ""), ("API tokens", ""), ("Audit", "quarantine.add"),
                        ("Configuration", "web/@httpPort")]:
        go(browser, place)
        browser.wait_for_heading(place)
        browser.wait_to_see(text)
        browser.examine(f"place-{place.lower().replace(' ', '-')}", SIZES, dark=True)
    go(browser, "Audit")
    browser.wait_to_see("from 127.0.0.1")


@story()
def an_admin_creates_a_person_who_signs_in_and_is_removed(stage: Stage) -> None:
    instance = stage.instance()
    browser = stage.signed_in(instance, "boss", "admin")
    link = People.create(browser, "oskar", "viewer")
    browser.examine("people", SIZES, dark=True)
    other = stage.browser(instance)
    # The open page may ask for its live part after the removal.
    other.expected_statuses.add(401)
    other.open(link)
    other.fill("New password", PASSWORD)
    other.fill("The same password again", PASSWORD)
    other.press("Set the password")
    other.wait_for_heading("Home")
    go(browser, "People")
    press_any(browser, re.compile("oskar"))
    press_any(browser, re.compile("^Remove"))
    confirm(browser, "Remove")
    until("the removal", lambda: "oskar" not in instance.run("user", "list"))

    def ended() -> bool:
        other.open("/console/")
        return other.heading == "Sign in"

    until("the session to end", ended, 20)
