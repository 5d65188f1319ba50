/// What the engine does after an answer, in words. The texts are derived from the verdict, which the engine
/// itself follows.
extension Verdict {
    /// The action in a few words, for a table.
    package var action: String {
        switch schedule {
        case .none where isReportOnly: "reports the token as invalid"
        case .none:
            switch quarantine {
            case .yes: "marks the message as failed, reports the token as invalid"
            case .byCounter: "marks the message as failed, counts an error for the device"
            case .no: "fails the message"
            }
        case .hold: scope == .topic ? "puts the topic on hold" : "stops the account"
        case .now where scope == .account: "renews the token or connection, sends again"
        case .now: "sends again immediately"
        case .soon where mayWiden: "tries \(maximumTries) times, may stop the topic or account"
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

    /// Whether the answer is a feedback service's report on a token, and therefore not about a message.
    private var isReportOnly: Bool { scope == .token && schedule == .none && !countsAttempt }

    private var minimumDelay: String { DurationText.text(seconds: Int64(minimumDelaySeconds)) }

    private var fate: String {
        switch schedule {
        case .none where isReportOnly:
            "No message is affected. Deliveries exclude the device unless it registered again later."
        case .none: "The message fails and is not sent again."
        case .hold where scope == .topic:
            "Messages of the topic wait. PushMTA sends one of them from time to time to test the topic. The "
                + "account's other messages are sent as usual."
        case .hold:
            "The account stops: its messages wait. PushMTA sends one of them from time to time to test the "
                + "account."
        case .now where scope == .account:
            "PushMTA renews its access token or the connection and immediately sends the message again. If "
                + "the gateway returns the same answer, the account stops."
        case .now: "PushMTA immediately sends the message again, on another connection if possible."
        case .soon where mayWiden:
            "The message is sent again after at least \(minimumDelay), until it has been tried "
                + "\(maximumTries) times. If messages to other devices receive the same answer, their topic "
                + "or the account stops."
        case .soon where maximumTries > 0:
            "The message is sent again after at least \(minimumDelay), until it has been tried "
                + "\(maximumTries) times."
        case .soon:
            "The message is sent again after at least \(minimumDelay), at increasing intervals, until its "
                + "validity ends."
        case .calendar:
            "The message is sent again after at least \(minimumDelay), according to the schedule in "
                + "`nmac/retry`, until its validity ends."
        }
    }

    private var effectOnToken: String? {
        guard scope == .token, !isReportOnly else { return nil }
        return switch quarantine {
        case .yes:
            "The token is reported as invalid. Its device goes into quarantine as soon as PushMTA trusts the "
                + "account's answers."
        case .byCounter:
            "The answer counts as an error of the device. After `nmac/quarantine/@maxErrors` errors, the "
                + "device goes into quarantine."
        case .no: "The answer has no effect on the device's quarantine."
        }
    }

    private var failure: String? {
        guard !isReportOnly, schedule != .hold else { return nil }
        return "A message that fails because of this answer has the failure type \(failureType.label) and "
            + "the reason \(failureReason.label)."
    }
}
