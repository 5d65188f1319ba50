package import PushModel

/// What an operator or the API hands in to have something sent: names still, no ids.
///
/// **Promises.** A document is read whole or not at all, and everything wrong with it is told at once:
/// unknown keys by name, wrong values by path, what was found and what is allowed, never the value itself.
package struct DeliveryDocument: Equatable, Sendable {
    package var label: String
    /// A service's name.
    package var service: String
    /// What the rest of it was made of; nil: of no template.
    package var template: TemplateReference?
    /// Names of apps, none twice; empty: the apps of the service in ``environments``.
    package var apps: [String]
    /// None twice; empty: the document names none. Then it is for those of its apps, or for production if it lists
    /// none.
    package var environments: [PushEnvironment] = []
    /// Nil where the caller said that the target comes from elsewhere.
    package var target: Target?
    /// Whom it leaves out of those that come from elsewhere.
    package var refinement = TargetRefinement()
    /// Whether a target that matches nobody is as good as any.
    package var allowsEmptyTarget: Bool
    /// Whether devices are sent to that have been sent as much as the service allows.
    package var ignoresFrequencyCap = false
    package var content: Content
    package var schedule: DeliverySchedule
    package var retry: RetryOverride
    package var tracking: Bool

    /// ``content`` as the store keeps it and a child reads it.
    package var contentJSON: [UInt8] { ContentDocument.encode(content) }

    /// Whether it says whom it is for, and does not only leave out some of those that come from elsewhere.
    package static func choosesRecipients(_ document: JSONValue) -> Bool {
        DocumentReader.hasChoice(document)
    }

    /// A larger document is refused before it is parsed.
    package static let maximumBytes = 1 << 20

    /// Where the target is.
    package enum TargetSource: Sendable {
        case document
        /// Elsewhere, such as a file of user keys; the document must then have none.
        case elsewhere
    }

    /// - Throws: ``WireError/document(_:)``
    package static func parse(
        _ bytes: [UInt8], target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try read(try value(of: bytes), target: source)
    }

    /// A document's JSON, before anything of it is looked at. - Throws: ``WireError/document(_:)``
    package static func value(of bytes: [UInt8]) throws(WireError) -> JSONValue {
        guard bytes.count <= maximumBytes else {
            throw .document([
                DocumentFinding(
                    path: "",
                    problem: "the document has \(bytes.count) bytes; allowed are \(maximumBytes); for a long "
                        + "list of recipients give a file of user keys")
            ])
        }
        do {
            return try JSONParser.parse(bytes)
        } catch {
            throw .document([DocumentFinding(path: "", problem: "not JSON: \(error.description)")])
        }
    }

    /// - Parameter value: with the members of the template that it names (``TemplateMerge``).
    /// - Throws: ``WireError/document(_:)``
    package static func read(
        _ value: JSONValue, target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        var reader = DocumentReader()
        let document = reader.delivery(value, target: source)
        try reader.finish()
        guard let document else {
            throw .document([DocumentFinding(path: "", problem: "not a delivery document")])
        }
        return document
    }
}

extension DocumentReader {
    /// The longest a name or label may be, in bytes.
    static var maximumNameBytes: Int { 256 }
    /// A year: beyond any gateway's storage, and far from where adding to a time could overflow.
    private static var maximumSeconds: Int64 { 366 * 86_400 }

    /// Nil where something that it cannot do without is missing; then that was noted.
    mutating func delivery(_ value: JSONValue, target source: DeliveryDocument.TargetSource)
        -> DeliveryDocument?
    {
        let keys = [
            "label", "service", "template", "apps", "environments", "target", "allowEmpty", "content",
            "schedule", "retry",
            "tracking", "ignoreFrequencyCap",
        ]
        guard let root = object(value, at: "", keys: keys) else { return nil }
        for key in ["label", "service"] { require(key, in: root) }
        let template = templateReference(of: root)
        // With a template it was filled; where that could not be, something else is wrong, and is told.
        if root.value("template") == nil { require("content", in: root) }
        let label = string("label", of: root, .bytes(Self.maximumNameBytes))
        let service = string("service", of: root, .bytes(Self.maximumNameBytes))
        let apps = strings("apps", of: root, count: 1...100, .bytes(Self.maximumNameBytes))
        let environments = environments(of: root)
        var refinement = TargetRefinement()
        let target = target(of: root, source: source, &refinement)
        var contentRead: Content?
        if let value = root.value("content") { contentRead = content(value, at: "content") }
        let schedule = schedule(of: root)
        let retry = retry(of: root)
        let tracking = boolean("tracking", of: root) ?? true
        let allowsEmpty = boolean("allowEmpty", of: root) ?? false
        let ignoresCap = boolean("ignoreFrequencyCap", of: root) ?? false
        guard let label, let service, let content = contentRead else { return nil }
        return DeliveryDocument(
            label: label, service: service, template: template, apps: apps ?? [],
            environments: environments, target: target, refinement: refinement,
            allowsEmptyTarget: allowsEmpty, ignoresFrequencyCap: ignoresCap,
            content: content, schedule: schedule, retry: retry, tracking: tracking)
    }

    private mutating func environments(of root: Object) -> [PushEnvironment] {
        let all = PushEnvironment.allCases
        let names = strings("environments", of: root, count: 1...all.count, .bytes(Self.maximumNameBytes))
        return (names ?? []).enumerated().compactMap { index, name in
            if let environment = PushEnvironment(rawValue: name) { return environment }
            let allowed = all.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            note("environments[\(index)]", "not one of its values; allowed is \(allowed)")
            return nil
        }
    }

    /// - Parameter mayStart: whether it may say when.
    mutating func schedule(of root: Object, mayStart: Bool = true) -> DeliverySchedule {
        var schedule = DeliverySchedule()
        let keys =
            (mayStart ? ["start"] : []) + ["validity", "priority", "ratePerSecond", "retentionDays"]
            + Self.calendarKeys
        guard let object = object("schedule", of: root, keys: keys) else { return schedule }
        if mayStart, let start = string("start", of: object) {
            schedule.start = WallTime(utc: start)
            if schedule.start == nil {
                note(object.path(of: "start"), "not a time; allowed is UTC such as 2026-11-21T10:00:00Z")
            }
        }
        schedule.validitySeconds = duration("validity", of: object, from: 0) ?? schedule.validitySeconds
        schedule.priority = choice("priority", of: object, as: DeliveryPriority.self) ?? schedule.priority
        schedule.ratePerSecond = Int(integer("ratePerSecond", of: object, in: 0...1_000_000) ?? 0)
        let days = 0...Int64(DeliverySchedule.longestRetentionDays)
        schedule.retentionDays = integer("retentionDays", of: object, in: days).map(Int.init)
        schedule.calendar = calendar(of: object, validity: schedule.sendingSeconds)
        if schedule.isNowOrNever, schedule.calendar != nil {
            note(
                object.path(of: "validity"),
                "0 is now or never, which has no waves, local time or quiet hours; give a validity, or take those out"
            )
        }
        return schedule
    }

    mutating func retry(of root: Object) -> RetryOverride {
        guard let object = object("retry", of: root, keys: ["count", "period"]) else {
            return RetryOverride()
        }
        let count = integer("count", of: object, in: 0...100).map(Int.init)
        return RetryOverride(count: count, periodSeconds: duration("period", of: object))
    }

    /// A duration: a text with its unit, or a number of seconds.
    mutating func duration(_ key: String, of object: Object, from shortest: Int64 = 1) -> Int64? {
        guard let value = object.value(key) else { return nil }
        let path = object.path(of: key)
        let seconds: Int64?
        switch value {
        case .integer(let integer): seconds = integer
        case .string(let text): seconds = DurationText.seconds(text)
        default:
            note(path, "found \(value.kind); allowed is \(DurationText.allowed)")
            return nil
        }
        guard let seconds else {
            note(path, "not a duration; allowed is \(DurationText.allowed)")
            return nil
        }
        guard (shortest...Self.maximumSeconds).contains(seconds) else {
            let longest = DurationText.text(seconds: Self.maximumSeconds)
            note(path, "out of range; allowed is \(shortest)s to \(longest)")
            return nil
        }
        return seconds
    }
}
