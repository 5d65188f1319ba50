internal import PushConnectors
package import PushModel
internal import PushStore
internal import PushWire

/// A delivery's order, as the API and commands show it.
package struct DeliveryOrderView: Codable, Equatable, Sendable {
    package var service: String
    package var apps: [String]
    /// The earliest start; `nil` if the delivery starts immediately.
    package var startAt: WallTime?
    package var validitySeconds: Int64
    /// The moment after which no message of the delivery is sent.
    package var expiresAt: WallTime
    package var priority: DeliveryPriority
    /// The maximum number of requests that begin per second; `nil` if there is no limit.
    package var ratePerSecond: Int?
    /// The number of days for which the delivery's messages are kept after its end; `nil` if they are kept
    /// for ever.
    package var retentionDays: Int?
    /// The time until which the messages are kept; `nil` before the delivery has ended, and if they are kept
    /// for ever.
    package var messagesKeptUntil: WallTime?
    /// The time at which the messages were removed; `nil` if they still exist.
    package var messagesRemovedAt: WallTime?
    /// A description in words: `all`, `3 user keys`, `city = Paris`, `all, without 2 tokens`, `single
    /// messages, accepted until …`.
    package var target: String
    /// The number of recipients that the target lists, each counted once; `nil` if it lists none.
    package var listedRecipients: Int?
    /// The number of listed recipients that no subscriber of the delivery's apps has; `nil` if the target
    /// lists none, if the delivery is not prepared, or if an earlier version prepared it.
    package var unknownRecipients: Int?
    /// How many subscribers the target's list matches; `nil` if it lists none.
    package var list: ListMatchView?
    /// The beginning of the content's text.
    package var content: String
    /// The template from which the content was created; `nil` if there is none.
    package var template: String?
    package var templateVersion: Int64?

    private static let shortest = 80

    /// - Throws: If the delivery's row cannot be read.
    init?(of delivery: DeliverySummary, in operations: Operations) throws {
        guard let stored = try operations.store.deliveries.delivery(delivery.id) else { return nil }
        let (order, names) = (stored.order, try operations.appNames())
        service = try operations.store.catalogue.service(order.service)?.name ?? ""
        // If an app has been deleted since the submission, its id is shown, because its name is unknown.
        apps = order.apps.map { names[$0] ?? "\($0)" }
        startAt = order.schedule.start
        validitySeconds = order.schedule.validitySeconds
        expiresAt = stored.expiresAt
        priority = order.schedule.priority
        ratePerSecond = order.schedule.ratePerSecond > 0 ? order.schedule.ratePerSecond : nil
        let rules = operations.retention
        let days = delivery.retentionDays ?? rules.messageDays
        retentionDays = days > 0 ? days : nil
        messagesKeptUntil = delivery.finished.flatMap { rules.messagesKept(until: $0, days: days) }?.time
        messagesRemovedAt = delivery.removed?.time
        target =
            delivery.openUntil.map { "single messages, accepted until \($0.utcText)" }
            ?? Self.words(of: order.target)
        list = ListMatchView(
            of: order.target, unknown: stored.unknownRecipients, devices: stored.listedDevices)
        (listedRecipients, unknownRecipients) = (list?.listed, list?.unmatched)
        (template, templateVersion) = (order.template?.name, order.template?.version)
        let read = try? ConnectorCatalogue.contents.decode(order.contentJSON)
        let texts = [read?.title, read?.body].compactMap { $0 }.filter { !$0.isEmpty }
        let text = texts.joined(separator: ": ")
        content = text.count > Self.shortest ? text.prefix(Self.shortest) + "…" : text
    }

    private static func words(of target: Target) -> String {
        let chosen =
            switch target.base {
            case .all: "all"
            case .userKeys(let keys): Numerals.count(keys.count, "user key")
            case .tokens(let tokens): Numerals.count(tokens.count, "token")
            case .list(let list):
                list.upload?.match.map { "\(Numerals.count($0.values, "value")) of \($0.key)" }
                    ?? Numerals.count(list.count, list.kind == .userKeys ? "user key" : "token")
            case .parameters(let wanted):
                wanted.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: " and ")
            case .matching(let expression): expression.description
            case .recipients(let delivery): SentGroup.recipients.words(of: delivery)
            case .openers(let delivery): SentGroup.openers.words(of: delivery)
            case .nonOpeners(let delivery): SentGroup.nonOpeners.words(of: delivery)
            case .combined(let set): set.words
            }
        let short = chosen.count > maxTargetLength ? chosen.prefix(maxTargetLength) + "…" : chosen
        return ([short] + refinements(of: target)).joined(separator: ", ")
    }

    private static let maxTargetLength = 400

    private static func refinements(of target: Target) -> [String] {
        let (keys, tokens) = (target.exclusion.userKeys.count, target.exclusion.tokens.count)
        var words: [String] = []
        if let names = target.variables?.names {
            words.append(
                "each with \(names.prefix(8).map { $0.printable(atMost: 32) }.joined(separator: ", "))")
        }
        if keys > 0 { words.append("without \(Numerals.count(keys, "user key"))") }
        if tokens > 0 { words.append("without \(Numerals.count(tokens, "token"))") }
        words += target.exclusion.sets.map { set in
            let excluded = set.words
            let short = excluded.count > maxTargetLength ? excluded.prefix(maxTargetLength) + "…" : excluded
            return "without \(set.parts.isEmpty ? short : "(\(short))")"
        }
        if let sample = target.sample {
            let (share, from) = (percent(sample.share), percent(sample.from))
            words.append("a sample of \(share) % starting at \(from) %, seed \(sample.seed)")
        }
        if target.isOncePerUser { words.append("once per user") }
        if target.ignoresFrequencyCap { words.append("regardless of the frequency cap") }
        return words
    }

    /// Returns a share as a percentage: `12.5` for 125 000 places.
    private static func percent(_ places: Int) -> String {
        let (whole, rest) = places.quotientAndRemainder(dividingBy: TargetSample.places / 100)
        guard rest > 0 else { return "\(whole)" }
        var digits = String(String(rest + TargetSample.places / 100).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}

extension SentGroup {
    fileprivate func words(of delivery: DeliveryID) -> String {
        switch self {
        case .recipients: "subscribers that were sent a message of delivery \(delivery)"
        case .openers: "subscribers that opened a message of delivery \(delivery)"
        case .nonOpeners: "subscribers that have not opened a message of delivery \(delivery)"
        }
    }
}

extension TargetTree<[String]> {
    /// A text such as `(city = Paris) and not (subscribers that opened a message of delivery 12)`.
    fileprivate var words: String {
        func join(_ parts: [Self], _ word: String) -> String {
            parts.count == 1
                ? parts[0].words : parts.map(\.wordsWithin).joined(separator: " \(word) ")
        }
        return switch self {
        case .all: "all"
        case .userKeys(let keys): Numerals.count(keys.count, "user key")
        case .tokens(let tokens): Numerals.count(tokens.count, "token")
        case .matching(let expression): expression.description
        case .sent(let group, let delivery): group.words(of: delivery)
        case .and(let parts): join(parts, "and")
        case .or(let parts): join(parts, "or")
        case .not(let part): "not (\(part.words))"
        }
    }

    /// The text as a part of a longer one.
    private var wordsWithin: String {
        switch self {
        case .all, .userKeys, .tokens, .not: words
        case .matching, .sent, .and, .or: "(\(words))"
        }
    }
}
