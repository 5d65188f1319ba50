package import PushAPI
internal import PushConnectors
internal import PushModel

extension DeliveryView {
    package var fields: [(name: String, value: String)] {
        var fields = [
            (name: "id", value: "\(id)"),
            ("label", label),
            ("state", stateText),
            ("targeted", Numerals.grouped(counts.targeted)),
            ("excluded", Numerals.grouped(counts.excluded)),
            ("pending", Numerals.grouped(counts.pending)),
            ("sent", Numerals.grouped(counts.sent)),
            ("retrying", Numerals.grouped(counts.retrying)),
            ("failed", Numerals.grouped(counts.failed)),
            ("cancelled", Numerals.grouped(counts.cancelled)),
            ("started", startedAt?.utcText ?? "not yet"),
            ("finished", finishedAt?.utcText ?? "not yet"),
            ("rate", rate),
        ]
        if let limitedBy {
            fields += [("limited by", limitedBy.explanation), ("time left", timeLeft)]
        }
        if environments.contains(.sandbox) { fields.insert(("environment", environment), at: 3) }
        return fields
    }

    /// A text such as `sandbox`, or `sandbox and production` if there are apps of both.
    var environment: String { environments.map(\.rawValue).joined(separator: " and ") }

    /// A text such as `8 333/s`; empty if there is no rate yet.
    var rate: String { messagesPerSecond.map { "\(Numerals.grouped($0))/s" } ?? "" }

    /// A text such as `about 5m 6s`, or `unknown`.
    var timeLeft: String { secondsLeft.map { "about \(StatusView.duration($0))" } ?? "unknown" }

    /// A text such as `sent 9990 of 10000, 10 failed, 8 333/s, limited by window, time left about 1s`.
    package var summary: String {
        var parts = ["sent \(counts.sent) of \(counts.targeted)"]
        for (count, name) in [
            (counts.failed, "failed"), (counts.cancelled, "cancelled"), (counts.excluded, "excluded"),
            (counts.retrying, "retrying"),
        ] where count > 0 {
            parts.append("\(count) \(name)")
        }
        if isHalted || ![.finished, .inProgress].contains(state) { parts.append(stateWord) }
        if !rate.isEmpty { parts.append(rate) }
        // The state was already added.
        if let limitedBy, limitedBy != .paused {
            parts += ["limited by \(limitedBy.name)", "time left \(timeLeft)"]
        }
        return parts.joined(separator: ", ")
    }

    /// What limits the delivery's rate, and the remaining time, as cells of a table.
    var limitCells: [String] {
        guard let limitedBy else { return ["-", "-"] }
        return [limitedBy.name, secondsLeft.map { StatusView.duration($0) } ?? "unknown"]
    }

    /// The state as a single word for a table.
    var stateWord: String { damage != nil ? "DAMAGED" : held != nil ? "HELD" : state.rawValue }

    private var isHalted: Bool { damage != nil || held != nil }

    /// A text such as `inProgress`, `paused, expires at …`, `HELD` or `HELD, paused, expires at …`.
    private var stateText: String {
        let paused = pausedUntil.map { "paused, expires at \($0.utcText)" }
        guard isHalted else { return paused ?? state.rawValue }
        return stateWord + (paused.map { ", \($0)" } ?? "")
    }

    /// The reasons why the delivery is on hold, each with the command that lets the delivery continue.
    var haltFields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let damage { fields.append(("DAMAGED", "\(damage); run 'pushmta delivery recount \(id)'")) }
        if let held { fields.append(("HELD", "\(held); run 'pushmta delivery release \(id)'")) }
        return fields
    }

    /// Returns a table of deliveries. If some deliveries are paused, the table shows when their validity
    /// ends. If some go to sandboxes, the table shows the environments of all deliveries.
    package static func table(_ deliveries: [DeliveryView]) -> TextTable {
        let expires = deliveries.contains { $0.pausedUntil != nil } ? ["EXPIRES"] : []
        let environment = deliveries.contains { $0.environments.contains(.sandbox) } ? ["ENVIRONMENT"] : []
        let limit = deliveries.contains { $0.limitedBy != nil } ? ["LIMITED BY", "TIME LEFT"] : []
        var table = TextTable(
            ["ID", "LABEL", "STATE", "TARGETED", "SENT", "FAILED", "WAITING", "RATE", "STARTED"] + limit
                + environment + expires,
            numeric: ["ID", "TARGETED", "SENT", "FAILED", "WAITING", "RATE"])
        for delivery in deliveries {
            let counts = delivery.counts
            let row = [
                "\(delivery.id)", delivery.label, delivery.stateWord,
                "\(counts.targeted)", "\(counts.sent)", "\(counts.failed)",
                "\(counts.pending + counts.retrying)",
                delivery.rate.replacing(" ", with: ""), delivery.startedAt?.utcText ?? "",
            ]
            table.append(
                row + (limit.isEmpty ? [] : delivery.limitCells)
                    + environment.map { _ in delivery.environment }
                    + expires.map { _ in delivery.pausedUntil?.utcText ?? "" })
        }
        return table
    }
}

extension DeliveryDetails {
    package var fields: [(name: String, value: String)] {
        var fields = delivery.fields
        if verifyMode { fields.append(("rehearsal", StatusView.rehearsal)) }
        fields += order?.fields ?? []
        fields += outcome?.fields ?? []
        if let possibleDuplicates {
            let text =
                """
                \(Numerals.grouped(possibleDuplicates)) sent again, and messages that a child held when \
                it died
                """
            fields.append(("possible duplicates", text))
        }
        fields += delivery.haltFields
        for release in releases {
            fields.append(("later", "\(Numerals.grouped(release.count)) from \(release.at.utcText)"))
        }
        for hold in waitsFor { fields.append(("waits", hold.line)) }
        return fields
    }
}

extension DeliveryOrderView {
    private var validityText: String {
        validitySeconds == 0 ? "now or never" : DurationText.text(seconds: validitySeconds)
    }

    fileprivate var fields: [(name: String, value: String)] {
        let made = template.map { "\($0), version \(templateVersion ?? 0)" }
        var fields: [(name: String, value: String)] = [
            ("service", service), ("apps", apps.joined(separator: ", ")), ("target", target),
        ]
        fields += FieldList.matched(listed: listedRecipients, unknown: unknownRecipients)
        fields += list?.fields ?? []
        fields.append(("content", content))
        if let made { fields.append(("template", made)) }
        fields += [
            ("start", startAt?.utcText ?? "at once"),
            ("validity", "\(validityText), until \(expiresAt.utcText)"),
            ("priority", priority.rawValue),
            (
                "limit",
                ratePerSecond.map { "\(Numerals.count($0, "request")) a second" } ?? "none"
            ),
            ("messages", messages),
        ]
        return fields
    }

    private var messages: String {
        if let messagesRemovedAt {
            return "removed on \(messagesRemovedAt.utcText), at the end of their retention"
        }
        guard let retentionDays else { return "kept forever" }
        if let messagesKeptUntil { return "kept until \(messagesKeptUntil.utcText)" }
        return "kept for \(Numerals.count(retentionDays, "day")) after its end"
    }
}

extension DeliveryOutcomeView {
    fileprivate var fields: [(name: String, value: String)] {
        var fields = failures.map { (name: "failures", value: $0.text) }
        fields += exclusions.map { (name: "exclusions", value: $0.text) }
        if let nextRetryAt { fields.append(("next retry", nextRetryAt.utcText)) }
        fields += storms.map { (name: "storm", value: "\($0): 'pushmta quarantine storm show' shows more") }
        fields += waitingVerdicts.map { (name: "verdicts", value: $0.line) }
        return fields
    }
}

extension DeliveryOutcomeView.Reason {
    fileprivate var text: String {
        let words = [failureReason ?? "", providerReason].filter { !$0.isEmpty }.joined(separator: ": ")
        // The app may have changed its connector since then, so a reason code that several gateways have is
        // not explained.
        let link = ConnectorCatalogue.answer(to: providerReason).map { "; see \($0.link)" } ?? ""
        return "\(Numerals.grouped(count)), \(words)\(link)"
    }
}

extension SendingLimit {
    /// A text such as `gateway latency`.
    var name: String {
        switch self {
        case .gatewayLatency: "gateway latency"
        case .nothingToDo: "nothing to do"
        case .store, .held, .paused, .children, .quota, .rate, .window: rawValue
        }
    }

    /// The name and its meaning.
    var explanation: String {
        switch self {
        case .store: "store: messages wait to be prepared, read or recorded"
        case .held: "held: nothing may be sent at present; the state and the account show the reason"
        case .paused: "paused: nothing is sent until 'pushmta delivery resume'"
        case .children: "children: none has room, or their processor time is used up"
        case .quota: "quota: the account may send no faster"
        case .rate: "rate: the delivery may be sent no faster"
        case .window: "window: all parallel requests are in use"
        case .gatewayLatency: "gateway latency: most of the time is spent waiting for the gateway's answers"
        case .nothingToDo: "nothing to do: no message is due"
        }
    }
}
