package import PushModel

/// What submitting a delivery would do.
package struct DryRunView: Codable, Equatable, Sendable {
    package struct Exclusion: Codable, Equatable, Sendable {
        /// `in quarantine`, `disabled`, `once per user` or `frequency cap`.
        package var reason: String
        package var count: Int
    }

    package struct MissingValue: Codable, Equatable, Sendable {
        /// Of what the content asks of its subscribers.
        package var name: String
        package var count: Int
    }

    /// Devices that get the same words.
    package struct OfLanguage: Codable, Equatable, Sendable {
        /// nil: all those whose language the content does not have.
        package var language: String?
        /// Of those that are targeted.
        package var targeted: Int
        /// What the first of them would get; nil: none of them would get anything.
        package var sample: PayloadView?
    }

    package struct OfApp: Codable, Equatable, Sendable {
        package var app: String
        /// Messages that would be prepared to be sent.
        package var targeted: Int
        /// Subscribers of the target that would be left out, ``exclusions`` says why.
        package var excluded: Int
        package var exclusions: [Exclusion]
        /// Of those that are targeted: whose payload would be over the gateway's limit, and would not be sent.
        package var tooLarge: Int
        /// Targeted messages whose body or title would be cut to the gateway's limit (`content.shorten`).
        package var shortened: Int
        /// Of those that are targeted: who lack a value, and would not be sent to.
        package var missingValues: [MissingValue]
        /// What the first of those that are targeted would get, with placeholders for ids and token; nil: nobody
        /// would get anything.
        package var sample: PayloadView?
        /// The same for each of the content's languages, all others first; empty: it has none.
        package var languages: [OfLanguage]
        package var warnings: [String]
        /// What deliveries to the app got to lately; nil: nobody knows, or no master runs.
        package var messagesPerSecond: Double?
    }

    package var label: String
    /// Those of its apps.
    package var environments: [PushEnvironment]
    /// These six are the sums of what apps have.
    package var targeted: Int
    package var excluded: Int
    package var exclusions: [Exclusion]
    package var tooLarge: Int
    package var shortened: Int
    package var missingValues: [MissingValue]
    /// How long sending would take at the rates of late, and at the delivery's own; nil: nobody knows.
    package var estimatedSeconds: Int?
    package var apps: [OfApp]
    /// When how many could leave, of a delivery that has waves, a time of the day or quiet hours; the earliest
    /// first. In waves by share others are chosen in the end, about as many. nil: of any other.
    package var releases: [DeliveryRelease]?
    /// When the last could.
    package var lastReleaseAt: WallTime?
    /// Of the delivery as a whole too, a line each: those that a submission gives.
    package var warnings: [String]

    /// - Parameter ratePerSecond: the delivery's own; 0: it has none.
    init(
        label: String, environments: [PushEnvironment], apps: [OfApp], warnings: [String],
        ratePerSecond: Int
    ) {
        self.label = label
        self.environments = environments
        self.apps = apps
        self.warnings = warnings
        targeted = apps.reduce(0) { $0 + $1.targeted }
        excluded = apps.reduce(0) { $0 + $1.excluded }
        exclusions = Self.sums(apps.flatMap(\.exclusions).map { ($0.reason, $0.count) })
            .map { Exclusion(reason: $0.0, count: $0.1) }
        tooLarge = apps.reduce(0) { $0 + $1.tooLarge }
        shortened = apps.reduce(0) { $0 + $1.shortened }
        missingValues = Self.sums(apps.flatMap(\.missingValues).map { ($0.name, $0.count) })
            .map { MissingValue(name: $0.0, count: $0.1) }
        estimatedSeconds = Self.seconds(for: apps, ratePerSecond: ratePerSecond)
    }

    mutating func tell(_ counts: [WallTime: Int]) {
        let all = counts.sorted { $0.key < $1.key }.map { DeliveryRelease(at: $0.key, count: $0.value) }
        releases = Array(all.prefix(DeliveryRelease.longestList))
        lastReleaseAt = all.last?.at
    }

    /// By name, in the order of first mention.
    private static func sums(_ counts: [(String, Int)]) -> [(String, Int)] {
        var sums: [(String, Int)] = []
        for (name, count) in counts {
            if let index = sums.firstIndex(where: { $0.0 == name }) {
                sums[index].1 += count
            } else {
                sums.append((name, count))
            }
        }
        return sums
    }

    /// Rates are those of whole deliveries, so what several apps get takes one time after the other.
    private static func seconds(for apps: [OfApp], ratePerSecond: Int) -> Int? {
        var atRecentRates: Double? = 0
        for app in apps where app.targeted > 0 {
            let seconds = app.messagesPerSecond.map { Double(app.targeted) / $0 }
            atRecentRates = atRecentRates.flatMap { sum in seconds.map { sum + $0 } }
        }
        let all = apps.reduce(0) { $0 + $1.targeted }
        let atOwnRate = ratePerSecond > 0 ? Double(all) / Double(ratePerSecond) : nil
        guard let longest = [atRecentRates, atOwnRate].compactMap(\.self).max() else { return nil }
        return Int(exactly: longest.rounded(.up))
    }
}
