import PushModel
import PushWire
import TestSupport
import Testing

/// The reports of a child about messages.
struct Reported {
    private(set) var accepted: [Int64] = []
    private(set) var others: [ReportedOutcome] = []
    private(set) var grants: [GrantID: Int] = [:]
    private(set) var news: [AccountNews] = []
    private(set) var newsCameFirst = false

    var count: Int { accepted.count + others.count }
    var requeued: [Int64] {
        others.compactMap { if case .neverSent = $0.outcome { $0.message.rawValue } else { nil } }
    }
    var reasons: Set<String> {
        Set(
            others.compactMap {
                switch $0.outcome {
                case .neverSent(_, let reason), .rejected(_, let reason), .undecided(_, let reason): reason
                case .accepted, .tooLarge, .missing: nil
                }
            })
    }

    mutating func add(_ frame: LinkFrame) throws {
        if frame.kind == .outcomes {
            add(try OutcomesFrame(frame))
        } else if frame.kind == .accountNews, case .accountNews(let report) = try LinkReport(frame) {
            if count == 0 { newsCameFirst = true }
            news.append(report)
        }
    }

    private mutating func add(_ frame: OutcomesFrame) {
        for (grant, messages) in frame.accepted {
            accepted += messages.map(\.rawValue)
            grants[grant, default: 0] += messages.count
        }
        for outcome in frame.others {
            others.append(outcome)
            grants[outcome.grant, default: 0] += 1
        }
        #expect(frame.count <= ChildLink.maximumOutcomes)
    }
}
