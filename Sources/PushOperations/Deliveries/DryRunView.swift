package import PushModel

/// What submitting a delivery would do.
package struct DryRunView: View, Equatable {
    package struct Exclusion: View, Equatable {
        /// `in quarantine`, `disabled`, `once per user` or `frequency cap`.
        package var reason: String
        package var count: Int
    }

    package struct MissingValue: View, Equatable {
        /// Of what the content asks of its subscribers.
        package var name: String
        package var count: Int
    }

    /// Devices that get the same words.
    package struct OfLanguage: View, Equatable {
        package static let about = ["language": "null: all languages that the content does not have"]

        package var language: String?
        package var targeted: Int
        package var sample: PayloadView?
    }

    package struct OfApp: View, Equatable {
        package static let about =
            [
                "targeted": "messages that would be prepared",
                "sample":
                    "the payload of the first device, with placeholders for ids and token; null: there is none",
                "languages": "the content's languages, all others first; empty: it has none",
                "messagesPerSecond": "the recent rate of deliveries to the app; null: not known",
            ].merging(figures) { $1 }

        package var app: String
        package var targeted: Int
        package var excluded: Int
        package var exclusions: [Exclusion]
        package var tooLarge: Int
        package var shortened: Int
        package var missingValues: [MissingValue]
        package var sample: PayloadView?
        package var languages: [OfLanguage]
        package var warnings: [String]
        package var messagesPerSecond: Double?
    }

    /// Of the delivery and of each app.
    private static let figures = [
        "excluded": "subscribers of the target that would be left out",
        "tooLarge": "targeted messages that exceed the gateway's limit and would not be sent",
        "shortened": "targeted messages that would be cut to the gateway's limit; see Content.shorten",
        "missingValues": "values that targeted devices lack, so that nothing would be sent to them",
    ]

    package static let about =
        [
            "estimatedSeconds": "at recent rates and the delivery's own; null: not known",
            "releases": "how many could leave at which time; null: all at once",
        ].merging(figures) { $1 }

    package var label: String
    /// Those of its apps.
    package var environments: [PushEnvironment]
    /// These six are the sums of the figures of the apps.
    package var targeted: Int
    package var excluded: Int
    package var exclusions: [Exclusion]
    package var tooLarge: Int
    package var shortened: Int
    package var missingValues: [MissingValue]
    package var estimatedSeconds: Int?
    package var apps: [OfApp]
    /// Of a delivery with waves, a time of the day or quiet hours, the earliest first. In waves by share, other devices
    /// are chosen in the end, but about as many.
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
