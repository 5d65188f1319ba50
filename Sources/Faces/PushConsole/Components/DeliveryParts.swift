package import PushAPI
package import PushModel

extension DeliveryView {
    /// The delivery's name for people; its number if it has no label.
    package var shownLabel: String { DeliveryLabel.shown(label, of: id) }
    package var path: ConsolePath { "/deliveries/\(id.rawValue)" }
    package var link: HTML { "<a href=\"\(path)\">\(name: shownLabel)</a>" }

    /// The state, and whether the delivery waits because of damage or after a restored backup.
    package var badges: HTML {
        if damage != nil { return "\(state.badge) \(HTML.badge(.bad, .damaged))" }
        if held != nil { return "\(state.badge) \(HTML.badge(.warn, .onHold))" }
        return state.badge
    }

    /// The state of a delivery whose start is known. A delivery whose start has come is not scheduled any
    /// more, although the engine has not begun it.
    /// - Parameter start: `nil` if it is not known.
    func badges(startingAt start: WallMoment?) -> HTML {
        guard state == .startPending, damage == nil, held == nil, let start,
            start <= Presentation.current.now
        else { return badges }
        return HTML.badge(.active, .starting)
    }

    /// The messages that have no final result yet.
    package var waiting: Int { counts.pending + counts.retrying }
    /// The messages that have their final result.
    package var ended: Int { counts.sent + counts.failed + counts.cancelled }
}

extension DraftSummaryView {
    /// The draft's name for people; its number if it has no label.
    var shownLabel: String { label.isEmpty ? "#\(id)" : label }
    var link: HTML { "<a href=\"\("/drafts/\(id)" as ConsolePath)\">\(name: shownLabel)</a>" }
}

/// The labels that the engine gives to deliveries, in the reader's language.
package enum DeliveryLabel {
    /// Returns the name of a delivery for a page: `Proof: Spring sale` for `proof: Spring sale`, and the
    /// number if there is no label.
    static func shown(_ label: String, of delivery: DeliveryID) -> String {
        guard !label.isEmpty else { return "#\(delivery.rawValue)" }
        guard label.hasPrefix(ProofDelivery.labelPrefix) else { return label }
        return Phrase.proofLabel.text + label.dropFirst(ProofDelivery.labelPrefix.count)
    }

    /// Returns the beginning of a label that a person has typed as the pages show it.
    static func stored(_ text: String) -> String {
        let shown = Phrase.proofLabel.text
        return text.hasPrefix(shown) ? ProofDelivery.labelPrefix + text.dropFirst(shown.count) : text
    }
}

extension DeliveryState {
    package var title: Phrase {
        switch self {
        case .startPending: Phrase("Scheduled", "Geplant")
        case .preparing: Phrase("Preparing", "In Vorbereitung")
        case .inProgress: Phrase("In progress", "Wird gesendet")
        case .paused: Phrase("Paused", "Angehalten")
        case .stopping: Phrase("Stopping", "Wird gestoppt")
        case .stopped: Phrase("Stopped", "Gestoppt")
        case .finished: Phrase("Finished", "Beendet")
        case .failed: Phrase("Failed", "Fehlgeschlagen")
        }
    }

    package var badge: HTML {
        let tone: HTML.Tone =
            switch self {
            case .startPending, .stopped, .stopping: .neutral
            case .preparing, .inProgress: .active
            case .paused: .warn
            case .finished: .good
            case .failed: .bad
            }
        return HTML.badge(tone, title)
    }
}

extension MessageState {
    /// The state with this name in a delivery's log.
    package init?(named name: String) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }

    package var title: Phrase {
        switch self {
        case .pending: Phrase("Waiting", "Wartet")
        case .retrying: Phrase("Retrying", "Neuer Versuch folgt")
        case .sent: Phrase("Sent", "Gesendet")
        case .failed: Phrase("Failed", "Fehlgeschlagen")
        case .cancelled: Phrase("Cancelled", "Abgebrochen")
        case .excluded: Phrase("Left out", "Ausgelassen")
        }
    }

    package var badge: HTML {
        let tone: HTML.Tone =
            switch self {
            case .pending: .active
            case .retrying: .warn
            case .sent: .good
            case .failed: .bad
            case .cancelled, .excluded: .neutral
            }
        return HTML.badge(tone, title)
    }
}

extension SendingLimit {
    /// What the limit means for a delivery.
    package var explanation: Phrase {
        switch self {
        case .store:
            Phrase(
                "Messages are being prepared or recorded. The speed of the database limits the rate.",
                "Nachrichten werden vorbereitet oder aufgezeichnet. Die Datenbank begrenzt die Rate.")
        case .held:
            Phrase(
                "Nothing can be sent now: the delivery or its account waits.",
                "Zurzeit kann nichts gesendet werden: Die Zustellung oder ihr Konto wartet.")
        case .paused:
            Phrase(
                "The delivery is paused. Its validity continues to elapse.",
                "Die Zustellung ist angehalten. Ihre Gültigkeit läuft weiter.")
        case .children:
            Phrase(
                "The processes that send limit the rate.", "Die sendenden Prozesse begrenzen die Rate.")
        case .quota:
            Phrase("The account's quota limits the rate.", "Das Kontingent des Kontos begrenzt die Rate.")
        case .rate:
            Phrase(
                "The delivery sends at the rate that was chosen.",
                "Die Zustellung sendet mit der gewählten Rate.")
        case .window:
            Phrase(
                "As many requests are on the way as the gateway allows.",
                "Es sind so viele Anfragen unterwegs, wie das Gateway erlaubt.")
        case .gatewayLatency:
            Phrase("The gateway's answers limit the rate.", "Die Antworten des Gateways begrenzen die Rate.")
        case .nothingToDo: Phrase("No message is due now.", "Zurzeit ist keine Nachricht fällig.")
        }
    }
}

extension Platform {
    package var title: Phrase {
        switch self {
        case .ios: Phrase(same: "iOS")
        case .android: Phrase(same: "Android")
        default: Phrase("Other", "Andere")
        }
    }
}

extension DeliveryPriority {
    package var title: Phrase {
        switch self {
        case .veryLow: Phrase("Very low", "Sehr niedrig")
        case .low: Phrase("Low", "Niedrig")
        case .normal: Phrase("Normal", "Normal")
        case .high: Phrase("High", "Hoch")
        case .veryHigh: Phrase("Very high", "Sehr hoch")
        }
    }
}

extension HTML {
    /// The first and last four characters of a device token.
    package static func shortened(token: String) -> HTML {
        "<code>\(Formats.shortened(token: token))</code>"
    }
}

extension Formats {
    /// Returns the first and last four characters of a device token.
    package static func shortened(token: String) -> String {
        token.count <= 12 ? "…" : "\(token.prefix(4))…\(token.suffix(4))"
    }
}

extension Phrase {
    fileprivate static let proofLabel = Phrase("Proof: ", "Probe: ")
    fileprivate static let starting = Phrase("Waits to start", "Wartet auf den Beginn")
    fileprivate static let damaged = Phrase("Damaged", "Beschädigt")
    fileprivate static let onHold = Phrase("On hold", "Zurückgehalten")
}
