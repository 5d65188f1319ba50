import PushMaster
import PushSchedule
import PushStore

/// A store writer and its write service, on their own threads as in the master.
final class WriterThreads: Sendable {
    private let threads: [OtherThread]

    init(_ inbox: WriterInbox, pollSeconds: Int64 = 3_600, retention: RetentionRules? = nil) {
        threads = [
            OtherThread { inbox.callBack() },
            OtherThread { inbox.write() },
            OtherThread {
                var writer = StoreWriter(
                    inbox: inbox, pollSeconds: pollSeconds, retention: retention)
                writer.run()
            },
        ]
    }

    /// Whether all threads ended within a time limit that is long enough for any machine.
    func hasEnded() -> Bool { threads.reduce(true) { $1.hasEnded() && $0 } }
}

extension VerdictRules {
    /// The rules that follow from an empty serverConf.xml.
    static let usual = usual(holdDelaySeconds: 86_400)

    static func usual(holdDelaySeconds: Int64) -> VerdictRules {
        VerdictRules(
            storms: StormRule(holdDelaySeconds: holdDelaySeconds),
            quarantine: QuarantineRules(maxErrors: 5, significantErrorDelaySeconds: 86_400))
    }
}
