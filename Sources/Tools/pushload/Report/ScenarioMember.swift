/// A member of a scenario document: its accepted values and its meaning. The reader of documents and the
/// documentation both use it.
package struct ScenarioMember: Sendable {
    package enum Kind: Sendable {
        case text(most: Int)
        case truth
        case whole(ClosedRange<Int>)
        /// Any number, whole or not.
        case number(ClosedRange<Double>)
        case oneOf([String])
        /// A percentage of all requests, in steps of a tenth of a percent, at most 50.
        case percent
    }

    /// The path, including the name of the enclosing object: `gateway/streams`.
    package let path: String
    package let kind: Kind
    /// The default; `nil` if the member is required.
    package let usual: DocumentValue?
    package let meaning: String

    private init(_ path: String, _ kind: Kind, _ usual: DocumentValue?, _ meaning: String) {
        (self.path, self.kind, self.usual, self.meaning) = (path, kind, usual, meaning)
    }

    package static let all: [ScenarioMember] = [
        .init(
            "name", .text(most: 100), nil,
            "A sentence that describes the scenario. It is the heading of the scenario's section."),
        .init(
            "seed", .whole(0...Int(Int32.max)), .whole(1),
            "The random seed for the tokens. The same seed gives the same tokens."
        ),
        .init(
            "messages", .whole(1...10_000_000), nil,
            "The total number of messages. A multiple of `deliveries` times `accounts`."),
        .init("platform", .oneOf(["ios", "android"]), .text("ios"), "The gateway: APNs, or FCM HTTP v1."),
        .init(
            "accounts", .whole(1...500), .whole(1),
            "The number of APNs keys, each with its own app. Must be 1 if `platform` is `android`."),
        .init(
            "deliveries", .whole(1...100_000), .whole(1),
            "The number of deliveries among which the messages are divided. Each delivery is one arrival."),
        .init(
            "loop", .oneOf(["closed", "open"]), .text("closed"),
            "When the next delivery arrives: after the end of an earlier one, or by the clock."),
        .init("callers", .whole(1...64), .whole(1), "The number of concurrent deliveries. Closed loop only."),
        .init(
            "deliveriesPerSecond", .number(0.01...1_000), .whole(10),
            "The rate at which deliveries arrive. Open loop only."),
        .init(
            "personal", .truth, .truth(false),
            "Whether subscribers have parameters. If so, each message contains three of them."),
        .init(
            "registrations", .whole(0...1_000_000), .whole(0),
            "The number of devices that register after all messages have ended."),
        .init(
            "registrationsPerSecond", .number(1...10_000), .whole(200),
            "The rate at which devices register, by the clock, regardless of earlier registrations."),
        .init(
            "restart", .truth, .truth(false),
            "Whether the master is killed after the first message has ended, and a new one is started."),
        .init(
            "hosts", .whole(1...8), .whole(1),
            "The number of hosts that send together. A number above 1 requires a store on PostgreSQL."),
        .init(
            "store", .oneOf(["sqlite", "postgresql"]), .text("sqlite"),
            "The engine's store. For `postgresql`, the run starts its own server."),
        .init(
            "gateway/delayMilliseconds", .whole(0...60_000), .whole(0),
            "The gateway's delay before each answer, in milliseconds."),
        .init(
            "gateway/streams", .whole(1...10_000), .whole(1_000),
            "The maximum number of concurrent requests that the gateway allows on a connection."),
        .init(
            "gateway/unavailablePercent", .percent, .whole(0),
            """
            The share of requests that the gateway answers with 503. Their messages are tried again \
            after a second.
            """
        ),
        .init(
            "gateway/refusedPercent", .percent, .whole(0),
            "The share of requests that the gateway answers with 400 because of a fault in the message. The "
                + "message fails."),
        .init(
            "gateway/deadPercent", .percent, .whole(0),
            "The share of requests that the gateway answers with 410 or UNREGISTERED. The message fails, and "
                + "the device is quarantined. Requires one delivery."),
    ]

    /// The accepted values, as the text after "it must be".
    package var allowed: String {
        switch kind {
        case .text(let most): "a text of 1 to \(most) characters"
        case .truth: "true or false"
        case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .oneOf(let words): words.map { "\"\($0)\"" }.joined(separator: " or ")
        case .percent: "a number from 0 to 50 with at most one decimal"
        }
    }

    func takes(_ value: DocumentValue) -> Bool {
        switch (kind, value) {
        case (.text(let most), .text(let text)): (1...most).contains(text.count)
        case (.truth, .truth): true
        case (.whole(let range), .whole(let whole)): range.contains(whole)
        case (.number(let range), .whole(let whole)): range.contains(Double(whole))
        case (.number(let range), .number(let number)): range.contains(number)
        case (.oneOf(let words), .text(let text)): words.contains(text)
        case (.percent, .whole(let whole)): (0...50).contains(whole)
        case (.percent, .number(let number)):
            (0...50).contains(number) && abs(number * 10 - (number * 10).rounded()) < 1e-9
        default: false
        }
    }

    /// The row in the table of Docs/Inside/LoadReports.md.
    package var documentationRow: String {
        tableRow(["`\(path)`", allowed, usual.map { "`\($0)`" } ?? "required", meaning])
    }

    /// Returns a number such as `5`, `0.01` or `2.5`.
    static func text(_ number: Double) -> String {
        let decimals = (0...1).first { number == Double(number.fixed($0)) }
        return number.fixed(decimals ?? 2)
    }
}
