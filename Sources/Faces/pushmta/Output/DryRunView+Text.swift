internal import PushAPI
internal import PushModel

extension DryRunView {
    /// The lines about the whole delivery, followed by the lines about each app.
    var lines: [String] {
        var fields = Figures(
            targeted: targeted, excluded: excluded, exclusions: exclusions, tooLarge: tooLarge,
            shortened: shortened, missingValues: missingValues
        ).fields
        fields += FieldList.matched(listed: listedRecipients, unknown: unknownRecipients)
        fields += list?.fields ?? []
        fields.append(("time to send", timeToSend))
        for release in releases ?? [] {
            fields.append(("leave", "\(Numerals.grouped(release.count)) from \(release.at.utcText)"))
        }
        if let lastReleaseAt { fields.append(("last leave", lastReleaseAt.utcText)) }
        let environments = environments.map(\.rawValue).joined(separator: ", ")
        var lines = FieldList([("label", label), ("environments", environments)] + fields).lines
        for app in apps { lines += [""] + app.lines }
        return lines
    }

    /// A text such as `about 19s, at the throughput of earlier deliveries`, or `unknown: …`.
    private var timeToSend: String {
        guard let estimatedSeconds, let estimatedBy else {
            return "unknown: no earlier delivery was large enough, and there is no quota and no rate"
        }
        let basis =
            switch estimatedBy {
            case .throughput: "at the throughput of earlier deliveries"
            case .quota: "at the account's quota"
            case .rate: "at the delivery's rate"
            }
        // The number of seconds is rounded up.
        let word = isLeast ? "at least" : estimatedSeconds > 1 ? "about" : "up to"
        let time = "\(word) \(Self.duration(estimatedSeconds)), \(basis)"
        return isLeast ? "\(time); the throughput is unknown" : time
    }

    /// Formats a duration: to the second below one hour, to the minute below one day, and otherwise to the
    /// hour.
    private static func duration(_ seconds: Int) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        return if days > 0 {
            "\(days)d \(hours)h"
        } else if hours > 0 {
            "\(hours)h \(minutes)m"
        } else if minutes > 0 {
            "\(minutes)m \(seconds % 60)s"
        } else {
            "\(seconds)s"
        }
    }
}

extension FieldList {
    /// Returns a field such as `7 of 10 listed recipients; no subscriber has the other 3`. There is none if a
    /// number is not known.
    static func matched(listed: Int?, unknown: Int?) -> [(name: String, value: String)] {
        guard let listed, let unknown else { return [] }
        let matched = Numerals.grouped(listed - unknown)
        let all = "\(matched) of \(Numerals.count(listed, "listed recipient"))"
        let rest = unknown > 0 ? "; no subscriber has the other \(Numerals.grouped(unknown))" : ""
        return [("matched", all + rest)]
    }
}

extension ListMatchView {
    /// A field such as `customerId, 1 200 rows, 79.2 % matched, 950 devices, 900 people`. There is none if
    /// the list did not come from a file.
    var fields: [(name: String, value: String)] {
        guard let rows else { return [] }
        var words = [key, Numerals.count(rows, "row")]
        if let matchRate { words.append("\((matchRate * 1_000).rounded() / 10) % matched") }
        if let devices { words.append(Numerals.count(devices, "device")) }
        if let people { words.append(people == 1 ? "1 person" : "\(Numerals.grouped(people)) people") }
        if let ambiguous, ambiguous > 0 {
            words.append("\(Numerals.grouped(ambiguous)) not unique")
        }
        return [("list", words.joined(separator: ", "))]
    }
}

extension DryRunView.OfApp {
    fileprivate var lines: [String] {
        var fields = [(name: "app", value: app + environment.note)]
        fields +=
            Figures(
                targeted: targeted, excluded: excluded, exclusions: exclusions, tooLarge: tooLarge,
                shortened: shortened, missingValues: missingValues
            ).fields
        let rate = messagesPerSecond.map { "\(Numerals.grouped($0))/s in earlier deliveries" }
        fields.append(("throughput", rate ?? "unknown"))
        if languages.isEmpty { fields += sample?.fields ?? [("payload", "no device would receive one")] }
        for language in languages {
            let count = Numerals.grouped(language.targeted)
            fields.append(("language", "\(language.language ?? "all others"): \(count) targeted"))
            fields += language.sample?.fields ?? [("payload", "no device would receive one")]
        }
        return FieldList(fields).lines
    }
}

/// The figures that a delivery and each of its apps have.
private struct Figures {
    var targeted: Int
    var excluded: Int
    var exclusions: [DryRunView.Exclusion]
    var tooLarge: Int
    var shortened: Int
    var missingValues: [DryRunView.MissingValue]

    var fields: [(name: String, value: String)] {
        let reasons = exclusions.map { "\(Numerals.grouped($0.count)) \($0.reason)" }.joined(separator: ", ")
        var fields = [
            (name: "targeted", value: Numerals.grouped(targeted)),
            (
                name: "excluded",
                value: Numerals.grouped(excluded) + (reasons.isEmpty ? "" : ": \(reasons)")
            ),
            (name: "too large", value: Numerals.grouped(tooLarge)),
        ]
        if shortened > 0 {
            fields.append((name: "shortened", value: "\(Numerals.grouped(shortened)) to the gateway's limit"))
        }
        fields += missingValues.map {
            (name: "missing", value: "\(Numerals.grouped($0.count)) have no value for \($0.name)")
        }
        let unsent = missingValues.reduce(tooLarge) { $0 + $1.count }
        if unsent > 0 { fields.append((name: "to be sent", value: Numerals.grouped(targeted - unsent))) }
        return fields
    }
}

extension PayloadView {
    var fields: [(name: String, value: String)] {
        [
            ("size", "\(Numerals.grouped(bytes)) of \(Numerals.grouped(limitBytes)) bytes"),
            ("payload", payload),
        ]
    }
}
