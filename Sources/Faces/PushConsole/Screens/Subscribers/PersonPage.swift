internal import PushAPI
internal import PushModel

/// A person: whether the person can be reached, on which devices, and what the person received.
struct PersonPage {
    private static let maxDevices = 50
    private static let maxMessages = 20

    private let visit: Visit
    private let person: PersonAddress
    private let apps: [AppView]
    private let devices: [SubscriberView]
    private let hasMoreDevices: Bool
    private let history: PushAPI.Page<MessageView>
    private let cursor: String?

    /// - Throws: ``Refusal/notFound`` if the query does not name a person.
    init(_ visit: Visit) throws {
        let person = try PersonAddress(visit.query, visit)
        (self.visit, self.person) = (visit, person)
        apps = try visit.apps()
        let who: [String: String?] =
            switch person.who {
            case .userKey(let key): ["userKey": key]
            case .token(let token): ["token": token]
            }
        let page = try visit.ask(
            ShowSubscribers.self, query: who.merging(["limit": "\(Self.maxDevices)"]) { $1 })
        devices = visit.allowed(page.items, of: apps)
        hasMoreDevices = page.next != nil
        cursor = visit.query.given("cursor")
        history = try visit.ask(
            ListMessages.self,
            query: who.merging(["limit": "\(Self.maxMessages)", "cursor": cursor]) { $1 })
    }

    var reply: Reply {
        let body: HTML = """
            \(HTML.pageHead(person.title, crumbs: person.crumbs, meta: meta, actions: actions))
            <div class="split split-wide"><div class="stack">\(deviceCard)\(historyCard)</div>
            <aside class="stack">\(explanationCard)\(parameterCards)\(optOutCard)</aside></div>
            """
        return .page(Page(title: person.name, current: .subscribers, body: body))
    }

    private var reachable: Int {
        devices.count { [SubscriberState.valid, .counting].map(\.rawValue).contains($0.state) }
    }

    private var hasOptOut: Bool { devices.contains { $0.optedOutAt != nil } }
    private var isOptedOut: Bool { !devices.isEmpty && devices.allSatisfy { $0.optedOutAt != nil } }

    private var meta: [HTML] {
        guard let first = devices.map(\.createdAt).min() else { return [HTML.badge(.neutral, .unknown)] }
        let badge =
            isOptedOut
            ? HTML.badge(.neutral, SubscriberState.optedOut.title)
            : reachable > 0 ? HTML.badge(.good, .reachable) : HTML.badge(.bad, .unreachable)
        return [
            badge, "\(Phrase.onDevices(reachable, of: devices.count))",
            "\(Phrase.registeredFirst) \(moment: first)",
        ]
    }

    private var actions: HTML {
        var actions = HTML.empty
        if visit.isPermitted(SetSubscriberState.self), !devices.isEmpty {
            if !isOptedOut { actions += HTML.link(.optOut, person.path("/subscribers/opt-out")) }
            if hasOptOut { actions += HTML.link(.optIn, person.path("/subscribers/opt-in")) }
        }
        if visit.isPermitted(EraseSubscribers.self) {
            actions += HTML.link(.erase, person.path("/subscribers/erase"), classes: "button-danger")
        }
        return actions
    }

    private var deviceCard: HTML {
        guard !devices.isEmpty else { return HTML.emptyState(.noDevice, .noDeviceText) }
        let rows = devices.map { device -> [HTML] in
            [
                """
                \(device.device)\
                <small>\(device.os)\(device.os.isEmpty ? "" : ", ")\(name: device.app)</small>
                """,
                state(of: device), "\(device.language)", "\(moment: device.lastActiveAt)",
                release(device),
            ]
        }
        let more: HTML? = hasMoreDevices ? "<span class=\"small muted\">\(Phrase.firstDevices)</span>" : nil
        return HTML.card(
            .devices, id: "devices",
            table: HTML.table(
                [.init(.device), .init(.state), .init(.language), .init(.lastActive), .actions], rows),
            foot: more)
    }

    private func state(of device: SubscriberView) -> HTML {
        var note = HTML.empty
        if let since = device.optedOutAt {
            note = "<small>\(Phrase.since) \(moment: since)</small>"
        } else if let quarantine = device.quarantine {
            let reason = quarantine.meaning ?? quarantine.reason
            note = """
                <small>\(Phrase.since) \(moment: quarantine.since): \(HTML.inEnglish(reason)) \
                \(HTML.code(quarantine.reason))</small>
                """
        }
        return "\(device.stateBadge)\(note)"
    }

    private func release(_ device: SubscriberView) -> HTML {
        guard device.isReleasable, visit.isPermitted(ReleaseFromQuarantine.self) else { return .empty }
        return visit.form(action: "/subscribers/release", classes: "inline") {
            """
            \(person.hidden)<input type="hidden" name="app" value="\(device.app)">\
            <button class="button button-small">\(Phrase.release)\
            <span class="hidden-text"> \(device.device)</span></button>
            """
        }
    }

    private var historyCard: HTML {
        let names = Set(apps.map(\.name))
        let messages = history.items.filter { visit.session.services.isEmpty || names.contains($0.app) }
        let pager = HTML.pager(person.path, cursor: cursor, next: history.next)
        guard !messages.isEmpty else {
            let text: Phrase = history.next == nil ? .noMessagesText : .searchGoesOn
            return HTML.stack(HTML.emptyState(.noMessages, text), pager)
        }
        let rows = messages.map { message -> [HTML] in
            let label = DeliveryLabel.shown(message.label, of: message.delivery)
            let path: ConsolePath = "/deliveries/\(message.delivery.rawValue)"
            return [
                "<a href=\"\(path)\">\(name: label)</a>", "\(moment: message.updatedAt)",
                "\(name: message.app)", MessageResult(message).html,
            ]
        }
        return HTML.card(
            .history, id: "history", note: "\(Phrase.newestFirst)",
            table: HTML.table(
                [.init(.delivery), .init(.when), .init(.app), .init(.result)], rows),
            foot: pager.isEmpty ? nil : pager)
    }

    private var explanationCard: HTML {
        let action: ConsolePath = "/subscribers/explain"
        let form: HTML = """
            <form class="stack" method="get" action="\(action)">\(person.hidden)\
            \(Fields().number(.deliveryNumber, "delivery", value: nil, in: 1...Int.max, hint: .deliveryHint))\
            <div class="row"><button class="button">\(Phrase.explain)</button></div></form>
            """
        return HTML.card(.why, id: "why", body: form)
    }

    /// The parameters of the device that registered last, and of devices that differ from it.
    private var parameterCards: HTML {
        var seen: [[String: String]] = []
        var cards = HTML.empty
        for device in devices.sorted(by: { $0.registeredAt > $1.registeredAt }) {
            guard !device.parameters.isEmpty, !seen.contains(device.parameters), seen.count < 5 else {
                continue
            }
            seen.append(device.parameters)
            let facts = device.parameters.sorted { $0.key < $1.key }.prefix(100).map {
                (term: Phrase(same: $0.key), value: "\(name: $0.value)" as HTML)
            }
            cards += HTML.card(
                .parameters, id: "parameters-\(seen.count)", note: device.device,
                body: HTML.facts(Array(facts)))
        }
        return cards
    }

    private var optOutCard: HTML {
        guard !devices.isEmpty else { return .empty }
        return hasOptOut
            ? HTML.emptyState(.optOutRecorded, .optOutRecordedText)
            : HTML.emptyState(.noOptOut, .noOptOutText)
    }
}

/// The result of a message to a person, as a state, and with the reason if there is one.
struct MessageResult {
    private let message: MessageView

    init(_ message: MessageView) { self.message = message }

    var html: HTML {
        let note = self.note
        return "\(badge)\(note.isEmpty ? nil : "<small>\(note)</small>" as HTML)"
    }

    private var badge: HTML {
        if message.clickedAt != nil { return HTML.badge(.good, .clicked) }
        if message.receivedAt != nil { return HTML.badge(.active, .received) }
        return switch MessageViewState(rawValue: message.state) {
        case .sent: HTML.badge(.neutral, .sent)
        case .failed: HTML.badge(.bad, .failed)
        case .excluded: HTML.badge(.neutral, .leftOut)
        case .cancelled: HTML.badge(.neutral, .cancelled)
        case .pending: HTML.badge(.active, .waiting)
        case .scheduled: HTML.badge(.neutral, .scheduled)
        case .retrying: HTML.badge(.warn, .retrying)
        case nil: HTML.badge(.neutral, Phrase(same: message.state))
        }
    }

    private var note: HTML {
        if let clicked = message.clickedAt { return "\(Phrase.clickedAt) \(moment: clicked)" }
        if let received = message.receivedAt { return "\(Phrase.receivedAt) \(moment: received)" }
        if let start = message.sendAt { return "\(Phrase.notBefore) \(moment: start)" }
        if let due = message.dueAt { return "\(Phrase.nextAttempt) \(moment: due)" }
        if message.state == MessageViewState.sent.rawValue {
            return message.messageId == nil ? "\(Phrase.notTracked)" : "\(Phrase.notReported)"
        }
        let words = [message.failureReason, message.providerReason].compactMap(\.self)
        return words.isEmpty ? .empty : HTML.inEnglish(words.joined(separator: ", "))
    }
}

extension Phrase {
    fileprivate static let unknown = Phrase("Not registered", "Nicht registriert")
    fileprivate static let reachable = Phrase("Reachable", "Erreichbar")
    fileprivate static let unreachable = Phrase("Not reachable", "Nicht erreichbar")
    fileprivate static func onDevices(_ count: Int, of all: Int) -> Phrase {
        .counted(all, one: Phrase("On \(count) of 1 device", "Auf \(count) von 1 Gerät")) {
            Phrase("On \(count) of \($0) devices", "Auf \(count) von \($0) Geräten")
        }
    }
    fileprivate static let registeredFirst = Phrase("Registered first", "Zuerst registriert:")
    fileprivate static let optOut = Phrase("Opt out…", "Abmelden…")
    fileprivate static let optIn = Phrase("Lift the opt-out", "Abmeldung aufheben")
    fileprivate static let erase = Phrase("Erase…", "Löschen…")
    fileprivate static let device = Phrase("Device", "Gerät")
    fileprivate static let devices = Phrase("Devices", "Geräte")
    fileprivate static let noDevice = Phrase("No device is registered", "Kein Gerät ist registriert")
    fileprivate static let noDeviceText = Phrase(
        "No message can reach this person. The app must register the device, or you import it.",
        """
        Keine Nachricht kann diese Person erreichen. Die App muss das Gerät registrieren, oder Sie \
        importieren es.
        """)
    fileprivate static let firstDevices = Phrase(
        "Only the first 50 devices are shown.", "Nur die ersten 50 Geräte sind zu sehen.")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let lastActive = Phrase("Last active", "Zuletzt aktiv")
    fileprivate static let since = Phrase("since", "seit")
    fileprivate static let release = Phrase("Release", "Freigeben")
    fileprivate static let history = Phrase("History", "Verlauf")
    fileprivate static let newestFirst = Phrase("Newest first", "Neueste zuerst")
    fileprivate static let noMessages = Phrase("No messages", "Keine Nachrichten")
    fileprivate static let noMessagesText = Phrase(
        "No delivery whose messages are kept was sent to this person.",
        "Keine Zustellung, deren Nachrichten noch gespeichert sind, ging an diese Person.")
    fileprivate static let searchGoesOn = Phrase(
        "None among the newest messages. Continue on the next page.",
        "Keine unter den neuesten Nachrichten. Weiter auf der nächsten Seite.")
    fileprivate static let delivery = Phrase("Delivery", "Zustellung")
    fileprivate static let when = Phrase("When", "Wann")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let result = Phrase("Result", "Ergebnis")
    fileprivate static let why = Phrase("Why did the push not arrive?", "Warum kam der Push nicht an?")
    fileprivate static let deliveryNumber = Phrase("Number of the delivery", "Nummer der Zustellung")
    fileprivate static let deliveryHint = Phrase(
        "Leave it empty for the newest messages.", "Leer lassen für die neuesten Nachrichten.")
    fileprivate static let explain = Phrase("Explain", "Erklären")
    fileprivate static let parameters = Phrase("Parameters", "Parameter")
    fileprivate static let noOptOut = Phrase("No opt-outs", "Keine Abmeldung")
    fileprivate static let noOptOutText = Phrase(
        "This person gets messages of all kinds. If the person asks you to stop, record the opt-out here.",
        "Diese Person bekommt alle Nachrichten. Wünscht sie keine mehr, erfassen Sie hier die Abmeldung.")
    fileprivate static let optOutRecorded = Phrase("An opt-out is recorded", "Eine Abmeldung ist erfasst")
    fileprivate static let optOutRecordedText = Phrase(
        "Deliveries leave these devices out. Lift the opt-out only if the person asks for it.",
        "Zustellungen lassen diese Geräte aus. Heben Sie die Abmeldung nur auf Wunsch der Person auf.")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let leftOut = Phrase("Left out", "Ausgelassen")
    fileprivate static let cancelled = Phrase("Cancelled", "Abgebrochen")
    fileprivate static let waiting = Phrase("Waiting", "Wartet")
    fileprivate static let scheduled = Phrase("Scheduled", "Geplant")
    fileprivate static let retrying = Phrase("Retrying", "Neuer Versuch folgt")
    fileprivate static let clickedAt = Phrase("Clicked", "Geklickt:")
    fileprivate static let receivedAt = Phrase("Received", "Empfangen:")
    fileprivate static let notBefore = Phrase("Not before", "Nicht vor")
    fileprivate static let nextAttempt = Phrase("Next attempt", "Nächster Versuch:")
    fileprivate static let notTracked = Phrase(
        "Accepted by the gateway. The delivery has no tracking.",
        "Vom Gateway angenommen. Die Zustellung hat kein Tracking.")
    fileprivate static let notReported = Phrase(
        "Accepted by the gateway. The device has not reported it.",
        "Vom Gateway angenommen. Das Gerät hat den Empfang nicht gemeldet.")
}
