internal import PushAPI
internal import PushModel

/// Why a person did or did not get a push.
enum ExplanationPage {
    /// The maximum number of apps that are examined for a person who may see only some services.
    private static let maxApps = 10

    static func reply(_ visit: Visit) throws -> Reply {
        let person = try PersonAddress(visit.query, visit)
        let text = visit.query.given("delivery")
        let number = text.flatMap { Int64($0.hasPrefix("#") ? String($0.dropFirst()) : $0) }
        var errors = FormErrors()
        var explanations: [PushExplanation] = []
        if text != nil, number == nil || (number ?? 0) < 1 {
            errors.add("delivery", .notANumber)
        } else {
            do { explanations = try explain(visit, person, number.map(DeliveryID.init(rawValue:))) } catch {
                guard !(error is Refusal) else { throw error }
                errors = FormErrors(OperationError(error))
            }
        }
        let body: HTML = """
            \(HTML.pageHead(.title, crumbs: person.crumbsToPerson))
            <div class="stack">\(HTML.errors(errors.outside(["delivery"]), of: errors))\
            \(findings(explanations))\(form(person, text, errors))</div>
            """
        let page = Page(title: .title, of: person.name, current: .subscribers, body: body)
        return errors.isEmpty ? .page(page) : .refused(422, page)
    }

    private static func explain(
        _ visit: Visit, _ person: PersonAddress, _ delivery: DeliveryID?
    ) throws -> [PushExplanation] {
        guard !visit.session.services.isEmpty else {
            return [try visit.carryOut(ExplainPush(person.who, delivery: delivery))]
        }
        let devices = visit.allowed(
            try visit.carryOut(ShowSubscribers(person.who)).items, of: try visit.apps())
        return try Set(devices.map(\.app)).sorted().prefix(maxApps).map {
            try visit.carryOut(ExplainPush(person.who, app: $0, delivery: delivery))
        }
    }

    private static func findings(_ explanations: [PushExplanation]) -> HTML {
        let findings = explanations.flatMap(\.findings)
        guard !findings.isEmpty else { return HTML.emptyState(.nothing, .nothingText) }
        let items = findings.prefix(50).map { finding -> HTML in
            HTML.alarm(
                state: HTML.badge(finding.code.tone, .severity(finding.code.tone)), since: nil,
                title: "\(finding.code.title)", cause: HTML.inEnglish(finding.finding),
                steps: finding.advice.map { [HTML.inEnglish($0)] } ?? [])
        }
        return HTML.card(.found, id: "findings", table: Array(items).joined())
    }

    private static func form(_ person: PersonAddress, _ text: String?, _ errors: FormErrors) -> HTML {
        let action: ConsolePath = "/subscribers/explain"
        return HTML.card(
            body: """
                <form class="stack" method="get" action="\(action)">\(person.hidden)\
                \(Fields(errors).text(
                    .delivery, "delivery", value: text ?? "", hint: .deliveryHint, autocomplete: "off"))\
                <div class="row"><button class="button">\(Phrase.explain)</button></div></form>
                """)
    }
}

extension PushExplanation.Code {
    fileprivate var tone: HTML.Tone {
        switch self {
        case .received, .clicked: .good
        case .failed, .notRegistered, .onlyRemovedDevices, .noService: .bad
        case .deviceExcluded, .errorsCount, .retrying, .paused, .onHold, .accountWaits, .rehearsal: .warn
        default: .neutral
        }
    }

    fileprivate var title: Phrase {
        switch self {
        case .notRegistered: Phrase("No device is registered", "Kein Gerät ist registriert")
        case .onlyRemovedDevices: Phrase("All devices were removed", "Alle Geräte wurden entfernt")
        case .deviceExcluded: Phrase("A device is left out", "Ein Gerät wird ausgelassen")
        case .errorsCount: Phrase("A device has errors", "Ein Gerät hat Fehler")
        case .messagesRemoved: Phrase("The messages were removed", "Die Nachrichten wurden entfernt")
        case .notStarted: Phrase("The delivery has not started", "Die Zustellung hat nicht begonnen")
        case .otherApps: Phrase("The delivery is for other apps", "Die Zustellung gilt anderen Apps")
        case .registeredLater: Phrase("Registered after the start", "Nach dem Start registriert")
        case .notSelected, .notAddressed:
            Phrase("Not among the recipients", "Nicht unter den Empfängern")
        case .noMessages: Phrase("No messages", "Keine Nachrichten")
        case .paused: Phrase("The delivery is paused", "Die Zustellung ist angehalten")
        case .onHold: Phrase("The delivery waits for a decision", "Die Zustellung wartet auf Entscheidung")
        case .scheduled: Phrase("Scheduled", "Geplant")
        case .accountWaits: Phrase("The account waits", "Das Konto wartet")
        case .noService: Phrase("The engine does not run", "Der Versand läuft nicht")
        case .waiting: Phrase("The message waits", "Die Nachricht wartet")
        case .retrying: Phrase("The message is tried again", "Die Nachricht wird erneut versucht")
        case .failed: Phrase("The message failed", "Die Nachricht ist fehlgeschlagen")
        case .cancelled: Phrase("The message was cancelled", "Die Nachricht wurde abgebrochen")
        case .excluded: Phrase("The message was not sent", "Die Nachricht wurde nicht gesendet")
        case .notReported:
            Phrase("Sent, but not reported by the device", "Gesendet, aber vom Gerät nicht gemeldet")
        case .notTracked: Phrase("Sent without tracking", "Ohne Tracking gesendet")
        case .received: Phrase("Received", "Empfangen")
        case .clicked: Phrase("Clicked", "Geklickt")
        case .rehearsal: Phrase("A rehearsal: nothing was sent", "Ein Probelauf: nichts wurde gesendet")
        }
    }
}

extension Phrase {
    fileprivate static func severity(_ tone: HTML.Tone) -> Phrase {
        switch tone {
        case .bad: Phrase("Problem", "Problem")
        case .warn: Phrase("Possible cause", "Mögliche Ursache")
        case .good: Phrase("In order", "In Ordnung")
        case .neutral, .active: Phrase("Information", "Information")
        }
    }
    fileprivate static let title = Phrase("Why did the push not arrive?", "Warum kam der Push nicht an?")
    fileprivate static let found = Phrase(
        "Findings, the most important one first", "Befunde, der wichtigste zuerst")
    fileprivate static let nothing = Phrase("Nothing was found", "Nichts gefunden")
    fileprivate static let nothingText = Phrase(
        "There is no device and no message to explain. Check the user key.",
        "Es gibt kein Gerät und keine Nachricht zu erklären. Prüfen Sie den Nutzerschlüssel.")
    fileprivate static let delivery = Phrase("Number of the delivery", "Nummer der Zustellung")
    fileprivate static let deliveryHint = Phrase(
        "Leave it empty for the newest messages.", "Leer lassen für die neuesten Nachrichten.")
    fileprivate static let notANumber = Phrase(
        "Enter the number of a delivery, such as 12.", "Geben Sie die Nummer einer Zustellung ein, etwa 12.")
    fileprivate static let explain = Phrase("Explain", "Erklären")
}
