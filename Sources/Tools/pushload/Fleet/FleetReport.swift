/// The result of a run of ``FleetScenario``: the state of its devices, what the API shows, and the conditions
/// that both must meet.
package struct FleetReport: Sendable {
    package let scenario: FleetScenario
    package var kills = 0
    package var registering = Pace()
    package var sending = Pace()
    package var reporting = Pace()
    /// `lost` is the number of requests without an answer. `refused` contains the number of answers that
    /// asked devices to try again, by status.
    package var lost = 0
    package var refused: [Int: Int] = [:]

    // Observations of the devices.
    /// Notifications that reached a device, including repetitions.
    package var arrivals = 0
    /// The number of notifications that were sent to a token that no device has, or that contain another
    /// device's message.
    package var misdirected = 0
    /// The old tokens to which the gateways received requests although their devices already had new tokens,
    /// by app.
    package var toLeftTokens: [String: Set<String>] = [:]
    /// `answeredIDs` contains the ids that callers received for single messages. `sentIDs` contains those ids
    /// whose messages the API reports as sent.
    package var answeredIDs: Set<String> = []
    package var sentIDs: Set<String> = []
    /// The UUIDs that arrived as the `_mId` of single messages. Each must be an id from an answer.
    package var arrivedIDs: Set<String> = []
    /// `reports` counts all answered reports. `reportsOfThisLife` counts those since the last start of the
    /// service. `countedReports` is the service's own count since that start.
    package var reports = Reports()
    package var reportsOfThisLife = Reports()
    /// The value of `reportsOfThisLife` when `countedReports` was read.
    package var reportsCompared = Reports()
    package var countedReports = Reports()

    // The contents of the store.
    package var registry = SubscriberRegistry()
    package var service = ServiceReport(apps: [])
    package var people = UserKeyStats()
    package var chapters: [DeliveryRun] = []
    package var summary = GatewaySummary()

    package init(_ scenario: FleetScenario) { self.scenario = scenario }

    /// The number of events of an activity, and the time from its start to the last event.
    package struct Pace: Sendable {
        package private(set) var count = 0
        private var start: ContinuousClock.Instant?
        private var end: ContinuousClock.Instant?

        package mutating func begin() { start = ContinuousClock.now }

        package mutating func note(at now: ContinuousClock.Instant) {
            count += 1
            end = now
        }

        package var summary: String {
            guard let start, let end else { return "no time" }
            let seconds = (end - start).inSeconds
            return "\(seconds.fixed(1)) s, \(Int(Double(count) / max(seconds, 0.001)))/s"
        }
    }

    /// The number of reports by result.
    package struct Reports: Equatable, Sendable {
        /// Reports that are the first of their kind about a message.
        package var first = 0
        package var repeated = 0
        /// Reports about unknown messages.
        package var unknown = 0
        package var malformed = 0

        /// The counts with the repeated reports added to the first reports. After a kill, it is unknown which
        /// of two reports the service counted as the first.
        var withoutOrder: Reports {
            var reports = self
            (reports.first, reports.repeated) = (first + repeated, 0)
            return reports
        }

        var text: String {
            "\(first) first, \(repeated) repeated, \(unknown) unknown, \(malformed) malformed"
        }
    }

    /// The number of user keys that were looked up, and the number for which the API returned the wrong
    /// devices.
    package struct UserKeyStats: Sendable {
        package var asked = 0
        package var wrong = 0
    }

    /// A kind of device: an app, an operating system and a language.
    package struct Kind: Hashable, Sendable {
        package var app: String
        package var os: String
        package var language: String
    }

    /// The observations of one delivery.
    package struct DeliveryRun: Sendable {
        package var name: String
        /// The counts that the state of the devices implies, by app. `failed` is the number of tokens that
        /// devices no longer have.
        package var known: [String: StatisticsReport.AppCounts] = [:]
        /// The number of devices of each kind that received the delivery.
        package var kinds: [Kind: Int] = [:]
        package var shown: StatisticsReport
        /// Arrivals of a message after its first arrival.
        package var doubled = 0
    }

    // MARK: Judgement

    package var findings: [Finding] {
        let doubled = chapters.sum(of: \.doubled)
        let bound = kills * FleetScenario.children * FleetScenario.capacity
        let strange = arrivedIDs.subtracting(answeredIDs).count
        let chosen = scenario.chosen.count
        let errors = summary.protocolErrorsOfAll
        return [
            Finding(
                "exactly the devices that received 200 are registered, each with its latest data",
                registry.stored == registry.expected
                    && registry.missing + registry.strange + registry.different == 0,
                "\(registry.stored) of \(registry.expected) registered, \(registry.missing) missing, "
                    + "\(registry.strange) strange, \(registry.different) different; "
                    + "\(registering.count) registrations"),
            Finding(
                "each user key finds its devices", people.wrong == 0,
                "\(people.asked) looked up, \(people.wrong) wrong"),
            statisticsOfService,
        ] + chapters.flatMap(judge) + [
            leftTokens,
            Finding(
                "repeated arrivals ≤ messages held by killed children, and each message counts once",
                doubled <= bound && misdirected == 0,
                "\(doubled) repeated, maximum \(bound); \(misdirected) misdirected"),
            Finding(
                "every accepted single message is sent with the id from the answer",
                answeredIDs.count == chosen && sentIDs == answeredIDs && strange == 0,
                "\(answeredIDs.count) accepted of \(chosen), \(sentIDs.count) sent; of \(arrivedIDs.count) "
                    + "received UUIDs, \(strange) are unknown"),
            everyReport,
            Finding(
                "every kill was carried out, and every request followed the protocol",
                kills == scenario.kills && errors == 0,
                "\(kills) of \(scenario.kills) kills, \(errors) protocol errors"),
        ]
    }

    /// Compares the service's statistics with the state of its devices. The total in the statistics includes
    /// old iOS tokens, which must be in quarantine.
    private var statisticsOfService: Finding {
        var (off, text) = (0, [String]())
        for app in FleetScenario.apps {
            let devices = scenario.devices(of: app)
            let left = scenario.left(in: app)
            let shown = service.apps.first { $0.app == app }
            let all = (shown?.valid ?? 0) + (shown?.quarantined ?? 0) + (shown?.disabled ?? 0)
            let days = shown?.days.sum(of: \.registered) ?? 0
            if all != devices.count + left || shown?.valid != devices.count { off += 1 }
            if days != devices.count + left { off += 1 }
            var kinds: [Kind: Int] = [:]
            for device in devices { kinds[device.kind, default: 0] += 1 }
            off += Self.differences(kinds, shown?.devices ?? [])
            text.append(
                "\(shown?.valid ?? 0) of \(devices.count) valid, \(all) of \(devices.count + left) in total")
        }
        return Finding(
            "the service's statistics match its devices", off == 0,
            "\(text.joined(separator: "; ")); \(off) off")
    }

    private static func differences(_ known: [Kind: Int], _ shown: [StatisticsReport.Devices]) -> Int {
        var rest = known
        for row in shown {
            rest[Kind(app: row.app, os: row.os, language: row.language), default: 0] -= row.count
        }
        return rest.values.count { $0 != 0 }
    }

    private func judge(_ chapter: DeliveryRun) -> [Finding] {
        let counts = chapter.shown.counts
        let known = chapter.known.values
        let sum = known.sum { $0.sent + $0.failed }
        var (off, text) = (0, [String]())
        for (app, funnel) in chapter.known.sorted(by: { $0.key < $1.key }) {
            let shown = chapter.shown.apps.last { $0.app == app } ?? StatisticsReport.AppCounts(app: app)
            if shown != funnel { off += 1 }
            text.append(
                "\(app) \(shown.text)" + (shown == funnel ? "" : ", but devices report \(funnel.text)"))
        }
        let minutes = chapter.shown.minutes
        let isBorneOut =
            minutes.sum(of: \.sent) == counts.sent
            && [minutes.sum(of: \.received), known.sum(of: \.received)] == [counts.received, counts.received]
            && [minutes.sum(of: \.clicked), known.sum(of: \.clicked)] == [counts.clicked, counts.clicked]
        let kinds = Self.differences(chapter.kinds, chapter.shown.devices ?? [])
        return [
            Finding(
                "\(chapter.name): the expected devices were targeted, and no message is left",
                counts.targeted == sum && counts.pending + counts.retrying + counts.cancelled == 0
                    && counts.excluded == 0,
                "\(counts.sent) sent, \(counts.failed) failed of \(counts.targeted); \(sum) expected"),
            Finding(
                "\(chapter.name): sent, received and clicked match the records of the devices", off == 0,
                text.joined(separator: "; ")),
            Finding(
                "\(chapter.name): the figures by minute and by kind of device add up to the totals",
                isBorneOut && kinds == 0,
                "\(minutes.count) rows by minute; \(chapter.kinds.count) kinds, \(kinds) of them differ"),
        ]
    }

    /// A reinstalled Android device identifies itself when it registers, so the engine no longer uses the
    /// device's old token.
    private var leftTokens: Finding {
        let left = scenario.left(in: Testbed.app)
        let ios = toLeftTokens[Testbed.app]?.count ?? 0
        let android = toLeftTokens[Testbed.androidApp]?.count ?? 0
        return Finding(
            "a reinstalled device receives nothing through its old token", ios == left && android == 0,
            "iOS: \(ios) of \(left) refused; Android: \(android) tried")
    }

    private var everyReport: Finding {
        let holds =
            kills == 0
            ? reportsCompared == countedReports
            : reportsCompared.withoutOrder == countedReports.withoutOrder
        return Finding(
            "reports since the last start are counted correctly", holds,
            "\(countedReports.text)" + (holds ? "" : ", but devices sent \(reportsCompared.text)")
                + "; \(reports.text) in total; \(lost) requests without an answer, "
                + "\(refused.values.reduce(0, +)) to be repeated")
    }
}

extension FleetScenario {
    func devices(of app: String) -> [FleetDevice] {
        stride(from: app == Testbed.androidApp ? 1 : 0, to: devices, by: 2).map(device)
    }

    /// Returns the number of old tokens that remain in the store because the store cannot recognize them as
    /// old.
    func left(in app: String) -> Int { devices(of: app).reduce(0) { $0 + $1.subscriptions.count - 1 } }
}

extension FleetDevice {
    var kind: FleetReport.Kind { FleetReport.Kind(app: app, os: osVersion, language: language) }
}
