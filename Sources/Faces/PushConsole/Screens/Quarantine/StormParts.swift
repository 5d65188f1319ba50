internal import PushAPI
internal import PushModel

/// A flood of rejected tokens: what happened, and the decision about it.
enum StormParts {
    static func alarm(_ storm: StormView, _ visit: Visit) -> HTML {
        let since = Int(visit.now.seconds(since: storm.since))
        let title: HTML = "\(Phrase.rejects) \(HTML.names(storm.apps.isEmpty ? [storm.account] : storm.apps))"
        return HTML.alarm(
            state: HTML.badge(.bad, .stopped),
            since: "\(Phrase.since(Formats.durationAfterPreposition(seconds: since)))",
            title: title, cause: "\(Phrase.cause(storm))",
            steps: ["\(Phrase.checkApp)", "\(Phrase.thenDiscard)", "\(Phrase.orConfirm)"],
            actions: actions(storm, visit))
    }

    private static func actions(_ storm: StormView, _ visit: Visit) -> HTML {
        let check: HTML? = storm.apps.first.map { app in
            HTML.link(.checkTheApp, "/apps/of/\(app)", classes: "button-primary", subject: app)
        }
        guard visit.isPermitted(DecideStorm.self) else { return check ?? .empty }
        return """
            \(check)\(HTML.link(
                .discard(storm.held), "/storms/\(storm.account)/discard", subject: storm.account))\
            \(HTML.link(
                .confirm, "/storms/\(storm.account)/confirm", classes: "button-plain",
                subject: storm.account))
            """
    }

    /// The page that asks for the decision.
    static func decision(_ visit: Visit, _ judgement: DecideStorm.Judgement) throws -> Reply {
        let name = visit.name("name")
        let storms = try visit.carryOut(ShowStorms())
        guard let storm = storms.first(where: { $0.account == name }) else { throw Refusal.notFound }
        let facts = HTML.facts([
            (.account, HTML.code(storm.account)), (.apps, HTML.names(storm.apps, atMost: 10)),
            (.answers, "\(Phrase.cause(storm))"), (.sinceTerm, "\(moment: storm.since)"),
        ])
        let confirms = judgement == .confirm
        let other: HTML =
            confirms
            ? HTML.link(.discard(storm.held), "/storms/\(name)/discard")
            : HTML.link(.confirm, "/storms/\(name)/confirm", classes: "button-plain")
        let action: ConsolePath = confirms ? "/storms/\(name)/confirm" : "/storms/\(name)/discard"
        let title: Phrase = confirms ? .confirmTitle(storm.held) : .discardTitle(storm.held)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(confirms ? Phrase.confirmText : .discardText)",
            facts: facts, action: action, label: confirms ? .confirmButton(storm.held) : .discard(storm.held),
            back: "/quarantine", alternative: other)
        return .page(Page(title: title, current: .quarantine, body: body))
    }

    static func waitingVerdicts(_ visit: Visit) throws -> [WaitingVerdictsView] {
        guard visit.isPermitted(ShowStatus.self) else { throw Refusal.forbidden(ShowStatus.operation.scope) }
        return try visit.operations.carryOut(ListWaitingVerdicts())
    }

    /// Verdicts that wait without a storm.
    static func waiting(_ verdicts: [WaitingVerdictsView]) -> HTML {
        guard !verdicts.isEmpty else { return .empty }
        let rows = verdicts.prefix(50).map { waiting -> [HTML] in
            let cause: Phrase =
                switch waiting.cause {
                case .unproved: .unproved
                case .contradicted: .contradicted
                case .undecided: .undecided
                }
            let applies: HTML? = waiting.appliesAt.map { "<small>\(Phrase.appliesAt) \(moment: $0)</small>" }
            return [
                HTML.names(waiting.apps.isEmpty ? [waiting.account] : waiting.apps),
                "\(count: waiting.held)", "\(moment: waiting.since)", "\(cause)\(applies)",
                """
                \(HTML.link(
                    .discard(waiting.held), "/verdicts/\(waiting.account)/discard", classes: "button-small"))\
                \(HTML.link(.confirm, "/verdicts/\(waiting.account)/confirm", classes: "button-small"))
                """,
            ]
        }
        let columns: [HTML.Column] = [
            .init(.apps), .init(.verdicts, .number), .init(.sinceTerm), .init(.waitsFor), .actions,
        ]
        return HTML.card(
            .waitingTitle, id: "verdicts", note: "\(Phrase.waitingNote)",
            table: HTML.table(columns, Array(rows)))
    }

    /// The page that asks about verdicts that wait without a storm.
    static func decisionAboutWaiting(_ visit: Visit, _ judgement: DecideStorm.Judgement) throws -> Reply {
        let name = visit.name("name")
        let waiting = try waitingVerdicts(visit)
        guard let verdicts = waiting.first(where: { $0.account == name }) else { throw Refusal.notFound }
        let confirms = judgement == .confirm
        let title: Phrase = confirms ? .confirmTitle(verdicts.held) : .discardTitle(verdicts.held)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(confirms ? Phrase.confirmText : .discardText)",
            facts: HTML.facts([
                (.account, HTML.code(verdicts.account)), (.apps, HTML.names(verdicts.apps, atMost: 10)),
                (.sinceTerm, "\(moment: verdicts.since)"),
            ]),
            action: confirms ? "/storms/\(name)/confirm" : "/storms/\(name)/discard",
            label: confirms ? .confirmButton(verdicts.held) : .discard(verdicts.held), back: "/quarantine")
        return .page(Page(title: title, current: .quarantine, body: body))
    }
}

extension Phrase {
    fileprivate static let rejects = Phrase(
        "The gateway rejects almost every token of", "Das Gateway lehnt fast jedes Token ab von")
    fileprivate static let stopped = Phrase("Stopped: storm", "Gestoppt: Sturm")
    fileprivate static func since(_ time: String) -> Phrase { Phrase("for \(time)", "seit \(time)") }
    fileprivate static func cause(_ storm: StormView) -> Phrase {
        let rejected = Formats.count(storm.aboutTokens)
        let whole = Formats.count(storm.accepted + storm.aboutTokens)
        let waiting = Phrase.counted(storm.held, one: Phrase("1 verdict waits", "1 Urteil wartet")) {
            Phrase("\($0) verdicts wait", "\($0) Urteile warten")
        }
        return Phrase(
            "\(rejected) of \(whole) answers report that the device is gone. No device was disabled: "
                + "\(waiting.english) for your decision.",
            "\(rejected) von \(whole) Antworten melden, dass es das Gerät nicht mehr gibt. Kein Gerät wurde "
                + "deaktiviert: \(waiting.german) auf Ihre Entscheidung.")
    }
    fileprivate static let checkApp = Phrase(
        "Check the app: environment, bundle ID and credential must belong together.",
        "Prüfen Sie die App: Umgebung, Bundle-ID und Zugangsdaten müssen zusammengehören.")
    fileprivate static let thenDiscard = Phrase(
        "If something was wrong, correct it, then discard the verdicts: no token is changed.",
        "War etwas falsch, korrigieren Sie es und verwerfen Sie dann die Urteile: Kein Token wird geändert.")
    fileprivate static let orConfirm = Phrase(
        "Confirm them only if you know that the app was removed from these devices.",
        "Bestätigen Sie sie nur, wenn Sie wissen, dass die App von diesen Geräten entfernt wurde.")
    fileprivate static let checkTheApp = Phrase("Check the app", "App prüfen")
    fileprivate static func discard(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Discard 1 verdict", "1 Urteil verwerfen")) {
            Phrase("Discard \($0) verdicts", "\($0) Urteile verwerfen")
        }
    }
    fileprivate static let confirm = Phrase("Confirm them…", "Bestätigen…")
    fileprivate static func confirmButton(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Confirm 1 verdict", "1 Urteil bestätigen")) {
            Phrase("Confirm \($0) verdicts", "\($0) Urteile bestätigen")
        }
    }
    fileprivate static func confirmTitle(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Confirm 1 verdict?", "1 Urteil bestätigen?")) {
            Phrase("Confirm \($0) verdicts?", "\($0) Urteile bestätigen?")
        }
    }
    fileprivate static func discardTitle(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Discard 1 verdict?", "1 Urteil verwerfen?")) {
            Phrase("Discard \($0) verdicts?", "\($0) Urteile verwerfen?")
        }
    }
    fileprivate static let confirmText = Phrase(
        "The tokens go into quarantine: deliveries no longer reach these devices until they register again. "
            + "You can release them later, but deliveries miss them until then.",
        "Die Token kommen in Quarantäne: Zustellungen erreichen diese Geräte erst wieder, wenn sie sich neu "
            + "registrieren. Sie können sie später freigeben, aber bis dahin gehen sie leer aus.")
    fileprivate static let discardText = Phrase(
        "The gateway's answers are discarded and no token is changed. Sending continues. If the cause is not "
            + "corrected, the storm begins again.",
        "Die Antworten des Gateways werden verworfen, kein Token wird geändert. Das Senden geht weiter. Ist "
            + "die Ursache nicht behoben, beginnt der Sturm erneut.")
    fileprivate static let account = Phrase("Account", "Konto")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let answers = Phrase("Answers", "Antworten")
    fileprivate static let sinceTerm = Phrase("Since", "Seit")
    fileprivate static let verdicts = Phrase("Verdicts", "Urteile")
    fileprivate static let waitsFor = Phrase("Waits for", "Wartet auf")
    fileprivate static let waitingTitle = Phrase("Verdicts that wait", "Wartende Urteile")
    fileprivate static let waitingNote = Phrase(
        "No device is disabled until they are applied", "Bis dahin wird kein Gerät deaktiviert")
    fileprivate static let unproved = Phrase(
        "Accepted messages, or your decision: the account is new",
        "Angenommene Nachrichten oder Ihre Entscheidung: Das Konto ist neu")
    fileprivate static let contradicted = Phrase(
        "Accepted messages, or your decision: the latest answers look wrong",
        "Angenommene Nachrichten oder Ihre Entscheidung: Die letzten Antworten wirken falsch")
    fileprivate static let undecided = Phrase("Further answers", "Weitere Antworten")
    fileprivate static let appliesAt = Phrase("applied:", "angewendet:")
}
