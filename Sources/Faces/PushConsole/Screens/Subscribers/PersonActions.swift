internal import PushAPI
internal import PushModel

/// What a person in the office can do for a subscriber: opt-out and back, release, and erasure.
enum PersonActions {
    // MARK: Opt-out

    static func optOutPage(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let text: Phrase = try person(visit).key == nil ? .optOutDeviceText : .optOutText
        return try confirmation(
            visit, errors,
            Question(
                title: Phrase.optOutTitle, text: text, action: "/subscribers/opt-out", label: .optOut,
                hasReason: true))
    }

    static func optInPage(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        try confirmation(
            visit, errors,
            Question(
                title: Phrase.optInTitle, text: .optInText, action: "/subscribers/opt-in", label: .optIn,
                hasReason: true))
    }

    static func optOut(_ visit: Visit) throws -> Reply {
        try set(.optedOut, visit, SubscriberScreens.optedOut, orShow: optOutPage)
    }

    static func optIn(_ visit: Visit) throws -> Reply {
        try set(.valid, visit, SubscriberScreens.optedIn, orShow: optInPage)
    }

    private static func set(
        _ state: SetSubscriberState.State, _ visit: Visit, _ notice: Notice,
        orShow page: (Visit, FormErrors) throws -> Page
    ) throws -> Reply {
        let person = try person(visit)
        do {
            _ = try visit.carryOut(
                SetSubscriberState(person.who, to: state, reason: visit.form.given("reason")))
        } catch let error as OperationError {
            return .refused(422, try page(visit, FormErrors(error)))
        }
        return .redirect(person.path, notice: notice)
    }

    // MARK: Release

    static func release(_ visit: Visit) throws -> Reply {
        let (person, app) = (try person(visit), visit.form.given("app") ?? "")
        let release =
            switch person.who {
            case .userKey(let key): ReleaseFromQuarantine(app: app, userKey: key)
            case .token(let token): ReleaseFromQuarantine(app: app, tokens: [token])
            }
        _ = try visit.carryOut(release)
        return .redirect(person.path, notice: SubscriberScreens.released)
    }

    // MARK: Erasure

    static func erasePage(_ visit: Visit) throws -> Page {
        let person = try person(visit)
        let milder: HTML =
            visit.isPermitted(SetSubscriberState.self)
            ? HTML.link(.recordOptOut, person.path("/subscribers/opt-out")) : .empty
        return try confirmation(
            visit, FormErrors(),
            Question(
                title: Phrase.eraseTitle, text: .eraseText, action: "/subscribers/erase", label: .erase,
                hasReason: false, milder: milder))
    }

    static func erase(_ visit: Visit) throws -> Reply {
        let job = try visit.start(EraseSubscribers(try person(visit).who))
        return .redirect("/jobs/\(job.id)", notice: JobScreens.started)
    }

    // MARK: Parts

    private struct Question {
        var title: (String) -> Phrase
        var text: Phrase
        var action: ConsolePath
        var label: Phrase
        var hasReason: Bool
        var milder = HTML.empty
    }

    private static func person(_ visit: Visit) throws -> PersonAddress {
        try PersonAddress(visit.request.method == .post ? visit.form : visit.query, visit)
    }

    private static func confirmation(
        _ visit: Visit, _ errors: FormErrors, _ question: Question
    ) throws -> Page {
        let person = try person(visit)
        let title = question.title(person.key.map(Phrase.isolated) ?? Phrase.thisDevice.text)
        let reason: HTML? =
            question.hasReason
            ? Fields(errors).text(
                .reason, "reason", value: visit.form.exact("reason") ?? "", hint: .reasonHint,
                autocomplete: "off", maxLength: 256) : nil
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(question.text)",
            facts: HTML.errors(errors.outside(["reason"]), of: errors),
            fields: "\(person.hidden)\(reason)", action: question.action, label: question.label,
            back: person.path, alternative: question.milder)
        return Page(title: title, current: .subscribers, body: body)
    }
}

extension Phrase {
    fileprivate static let thisDevice = Phrase("this device", "dieses Gerät")
    fileprivate static func optOutTitle(_ name: String) -> Phrase {
        Phrase("Record an opt-out of \(name)?", "Abmeldung von \(name) erfassen?")
    }
    fileprivate static let optOutText = Phrase(
        """
        All deliveries leave out all devices of this person, in all apps, until you or the person lifts the \
        opt-out. Messages that were already sent cannot be taken back.
        """,
        """
        Alle Zustellungen lassen alle Geräte dieser Person in allen Apps aus, bis Sie oder die Person die \
        Abmeldung aufheben. Gesendete Nachrichten lassen sich nicht zurückholen.
        """)
    fileprivate static let optOutDeviceText = Phrase(
        """
        All deliveries leave out this device until you or its owner lifts the opt-out. Messages that were \
        already sent cannot be taken back.
        """,
        """
        Alle Zustellungen lassen dieses Gerät aus, bis Sie oder sein Besitzer die Abmeldung aufheben. \
        Gesendete Nachrichten lassen sich nicht zurückholen.
        """)
    fileprivate static let optOut = Phrase("Opt out", "Abmelden")
    fileprivate static func optInTitle(_ name: String) -> Phrase {
        Phrase("Lift the opt-out of \(name)?", "Abmeldung von \(name) aufheben?")
    }
    fileprivate static let optInText = Phrase(
        """
        Deliveries include the person's devices again. Do this only if the person has asked for it. A \
        device in quarantine stays there.
        """,
        """
        Zustellungen erreichen die Geräte der Person wieder. Tun Sie das nur auf Wunsch der Person. Ein \
        Gerät in Quarantäne bleibt dort.
        """)
    fileprivate static let optIn = Phrase("Lift the opt-out", "Abmeldung aufheben")
    fileprivate static let reason = Phrase("Reason for the audit", "Grund für das Protokoll")
    fileprivate static let reasonHint = Phrase(
        "For example: e-mail of 3 May. Without the user key and without a token.",
        "Zum Beispiel: E-Mail vom 3. Mai. Ohne Nutzerschlüssel und ohne Token.")
    fileprivate static func eraseTitle(_ name: String) -> Phrase {
        Phrase("Erase \(name)?", "\(name) löschen?")
    }
    fileprivate static let eraseText = Phrase(
        """
        This removes the person's devices, parameters and history, also from lists of recipients. It cannot \
        be undone. Counts in statistics stay. The app can register the person again. If the person only \
        wants no more messages, record an opt-out instead.
        """,
        """
        Das entfernt die Geräte, Parameter und den Verlauf der Person, auch aus Empfängerlisten. Es lässt \
        sich nicht rückgängig machen. Zahlen in Statistiken bleiben. Die App kann die Person neu \
        registrieren. Will die Person nur keine Nachrichten mehr, erfassen Sie stattdessen eine Abmeldung.
        """)
    fileprivate static let erase = Phrase("Erase for good", "Endgültig löschen")
    fileprivate static let recordOptOut = Phrase(
        "Record an opt-out instead", "Stattdessen Abmeldung erfassen")
}
