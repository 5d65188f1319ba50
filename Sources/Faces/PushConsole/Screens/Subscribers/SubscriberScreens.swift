internal import PushAPI
internal import PushModel

/// Subscribers: the search, and the page of a person with all actions.
enum SubscriberScreens: ScreenGroup {
    static let optedOut = Notice(
        "subscriber.optedOut",
        Phrase(
            "The opt-out was recorded. Deliveries leave the devices out from now on.",
            "Die Abmeldung wurde erfasst. Zustellungen lassen die Geräte ab jetzt aus."))
    static let optedIn = Notice(
        "subscriber.optedIn",
        Phrase(
            "The opt-out was lifted. Deliveries include the devices again.",
            "Die Abmeldung wurde aufgehoben. Zustellungen erreichen die Geräte wieder."))
    static let released = Notice(
        "subscriber.released",
        Phrase(
            "The device was released. If the gateway still rejects the device, it returns to quarantine.",
            "Das Gerät wurde freigegeben. Lehnt das Gateway es weiterhin ab, kommt es wieder in Quarantäne."))
    static let notices = [optedOut, optedIn, released]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/subscribers", needs: .read) { visit in try SubscriberListPage(visit).reply },
        ConsoleRoute(.get, "/subscribers/count", needs: .read, lengthy: true) { visit in
            try SubscriberCountPage.reply(visit)
        },
        ConsoleRoute(.get, "/subscribers/person", needs: .read) { visit in try PersonPage(visit).reply },
        ConsoleRoute(.get, "/subscribers/explain", needs: .read, lengthy: true) { visit in
            try ExplanationPage.reply(visit)
        },
        ConsoleRoute(.get, "/subscribers/opt-out", needs: .admin) { visit in
            .page(try PersonActions.optOutPage(visit))
        },
        ConsoleRoute(.post, "/subscribers/opt-out", needs: .admin, lengthy: true) { visit in
            try PersonActions.optOut(visit)
        },
        ConsoleRoute(.get, "/subscribers/opt-in", needs: .admin) { visit in
            .page(try PersonActions.optInPage(visit))
        },
        ConsoleRoute(.post, "/subscribers/opt-in", needs: .admin, lengthy: true) { visit in
            try PersonActions.optIn(visit)
        },
        ConsoleRoute(.post, "/subscribers/release", needs: .admin) { visit in
            try PersonActions.release(visit)
        },
        ConsoleRoute(.get, "/subscribers/erase", needs: .admin) { visit in
            .page(try PersonActions.erasePage(visit))
        },
        ConsoleRoute(.post, "/subscribers/erase", needs: .admin, guarded: true, once: true) { visit in
            try PersonActions.erase(visit)
        },
    ]
}
