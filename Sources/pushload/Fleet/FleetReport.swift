/// What a run of ``FleetScenario`` left behind: what its devices know, what the API shows, and everything that must be
/// true of both.
package struct FleetReport: Sendable {
    package let scenario: FleetScenario
    package var kills = 0
    package var registering = Pace()
    package var sending = Pace()
    package var reporting = Pace()
    /// Requests that had no answer, and answers that asked devices to come again, by status.
    package var lost = 0
    package var refused: [Int: Int] = [:]

    // Devices.
    /// Notifications that came to a device, each as often as it came.
    package var arrivals = 0
    /// Notifications of tokens that nobody has, or of another device's message.
    package var misdirected = 0
    /// Tokens that devices had left when the gateways were asked for them, by app.
    package var toLeftTokens: [String: Set<String>] = [:]
    /// Ids by which callers were answered for single messages, and those of them that the API calls sent.
    package var answeredIDs: Set<String> = []
    package var sentIDs: Set<String> = []
    /// The `_mId`s of single messages that are UUIDs, which are the same ids.
    package var arrivedIDs: Set<String> = []
    /// All that were answered, those since the service was started last, and what it counted itself since then.
    package var reports = Reports()
    package var reportsOfThisLife = Reports()
    /// Those since then at the moment when the service's own count was read.
    package var reportsCompared = Reports()
    package var countedReports = Reports()

    // The store.
    package var registry = SubscriberRegistry()
    package var service = ServiceReport(apps: [])
    package var people = People()
    package var chapters: [Chapter] = []
    package var summary = GatewaySummary()

    package init(_ scenario: FleetScenario) { self.scenario = scenario }

    /// How long something that was counted took.
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

    /// By what came of them.
    package struct Reports: Equatable, Sendable {
        /// The first of its kind about its message.
        package var first = 0
        package var repeated = 0
        /// Of no message.
        package var unknown = 0
        package var malformed = 0

        /// Where the service was killed, nobody can say which of two was the first.
        var withoutOrder: Reports {
            var reports = self
            (reports.first, reports.repeated) = (first + repeated, 0)
            return reports
        }

        var text: String {
            "\(first) first, \(repeated) repeated, \(unknown) unknown, \(malformed) malformed"
        }
    }

    /// Persons who were looked up by their user keys.
    package struct People: Sendable {
        package var asked = 0
        package var wrong = 0
    }

    /// A system and a language.
    package struct Kind: Hashable, Sendable {
        package var app: String
        package var os: String
        package var language: String
    }

    /// A delivery.
    package struct Chapter: Sendable {
        package var name: String
        /// As the devices know it, by app; `failed` is of tokens that they left.
        package var known: [String: StatisticsReport.AppCounts] = [:]
        /// The kinds of devices that got it.
        package var kinds: [Kind: Int] = [:]
        package var shown: StatisticsReport
        /// Arrivals beyond the first of a message.
        package var doubled = 0
    }
}
