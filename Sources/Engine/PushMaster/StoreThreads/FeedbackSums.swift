internal import PushModel
internal import PushStore

/// The numbers of devices that a feedback service reported and that required no change.
struct FeedbackSums: CustomStringConvertible {
    private var unknown = 0
    private var excludedAlready = 0

    mutating func count(_ findings: [FeedbackFinding]) {
        for finding in findings {
            switch finding.result {
            case .unknownToken: unknown += 1
            case .excludedAlready: excludedAlready += 1
            case .disabled, .registeredAgain: break
            }
        }
    }

    var description: String {
        "skipped \(unknown) without a subscriber, and \(excludedAlready) that were already excluded"
    }
}
