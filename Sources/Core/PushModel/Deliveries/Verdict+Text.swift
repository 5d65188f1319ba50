/// What the engine does after an answer, in words. The texts are derived from the verdict, which the engine
/// itself follows.
extension Verdict {
    /// The action in a few words, for a table.
    package var action: String {
        switch schedule {
        case .none where isReportOnly: "reports the token as invalid"
        case .none:
            switch quarantine {
            case .yes: "fails the message, reports the token as invalid"
            case .byCounter: "fails the message, counts an error of the device"
            case .no: "fails the message"
            }
        case .hold: scope == .topic ? "holds the topic" : "stops the account"
        case .now where scope == .account: "renews token or connection, sends again"
        case .now: "sends again at once"
        case .soon where mayWiden: "tries \(maximumTries) times, may stop topic or account"
        case .soon where maximumTries > 0: "tries \(maximumTries) times"
        case .soon, .calendar: "sends again after \(minimumDelay)"
        }
    }

    /// The consequences in whole sentences.
    package var consequences: String {
        let attempt = isReportOnly || countsAttempt ? nil : "This does not count as an attempt."
        let sentences: [String?] = [fate, effectOnToken, attempt, failure]
        return sentences.compactMap(\.self).joined(separator: " ")
    }

    /// Whether the answer is not about a message: a feedback service reports on a token.
    private var isReportOnly: Bool { scope == .token && schedule == .none && !countsAttempt }

    private var minimumDelay: String { DurationText.text(seconds: Int64(minimumDelaySeconds)) }

    private var fate: String {
        switch schedule {
        case .none where isReportOnly:
            "No message is affected. Deliveries leave the device out, unless it has registered again since."
        case .none: "The message fails and is not sent again."
        case .hold where scope == .topic:
            "The messages of the topic wait, and one of them is sent from time to time to try the topic. "
                + "Everything else in the account continues."
        case .hold:
            "The account stops: its messages wait, and one of them is sent from time to time to try the "
                + "account."
        case .now where scope == .account:
            "PushMTA renews its token or the connection and sends the message again at once. If the answer "
                + "is the same, the account stops."
        case .now: "The message is sent again at once, if possible on another connection."
        case .soon where mayWiden:
            "The message is sent again after \(minimumDelay) or later, until it has been tried "
                + "\(maximumTries) times. If messages to other devices receive the same answer, their topic "
                + "or the account stops."
        case .soon where maximumTries > 0:
            "The message is sent again after \(minimumDelay) or later, until it has been tried "
                + "\(maximumTries) times."
        case .soon:
            "The message is sent again after \(minimumDelay) or later, at growing intervals, until its "
                + "validity ends."
        case .calendar:
            "The message is sent again after \(minimumDelay) or later, on the calendar of `nmac/retry`, "
                + "until its validity ends."
        }
    }

    private var effectOnToken: String? {
        guard scope == .token, !isReportOnly else { return nil }
        return switch quarantine {
        case .yes:
            "The token is reported as invalid: as soon as the account is believed, its device goes into "
                + "quarantine."
        case .byCounter:
            "The answer counts as an error of the device, which goes into quarantine after "
                + "`nmac/quarantine/@maxErrors` of them."
        case .no: "The answer has no effect on the device's quarantine."
        }
    }

    private var failure: String? {
        guard !isReportOnly, schedule != .hold else { return nil }
        return "A message that fails with it has the failure type \(failureType.label) and the reason "
            + "\(failureReason.label)."
    }
}
