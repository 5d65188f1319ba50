import Foundation
import PushModel
import PushStore
import Testing

/// Writes gateways' verdicts about tokens into the store, as a master would.
extension Workspace {
    /// Returns the app's part of its account, as the program itself calculates it.
    func account(of app: String) async throws -> AccountKey {
        let known = try #require(try openStore().catalogue.app(named: app))
        let explanation = try await succeed("explain", app, "--json")
        let members = try #require(try explanation.json() as? [String: Any])
        return AccountKey(rawValue: try #require(members["mark"] as? String))
            .part(of: known)
    }

    /// Sends a delivery to all devices of the app. Every answer reports its token as dead.
    /// - Parameter judgement: The judgement of the account after each answer.
    /// - Returns: The account's mark.
    @discardableResult
    func refuseEverybody(
        _ app: String = "ios", reason: String = "Unregistered", judgement: TrustJudgement = .wait
    ) async throws -> AccountKey {
        let mark = try await account(of: app)
        let submission = try await succeed(
            "delivery", "submit", "-", input: try Self.document(["apps": [app]]))
        let delivery = DeliveryID(rawValue: try #require(Int64(submission.outputLines[0])))
        let store = try openStore()
        var isComplete = false
        while !isComplete {
            let step = try store.preparation.prepareChunk(of: delivery, at: Self.now)
            isComplete = step.isComplete
            guard let part = step.part else { continue }
            let messages = Array(part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue)
            for chunk in messages.chunks(of: 1_000) {
                var batch = OutcomeBatch(delivery: delivery)
                batch.others = chunk.map { message in
                    MessageRecord(
                        message: MessageID(rawValue: message),
                        change: .failed(.hard, .userUnknown, providerReason: reason), countsAttempt: true,
                        tokenVerdict: TokenVerdict(gravity: .dead, deadSince: nil, account: mark))
                }
                batch.answers = [AccountAnswers(account: mark, aboutTokens: chunk.count)]
                _ = try store.outcomes.record([batch], at: Self.now, judge: { _ in judgement })
            }
        }
        return mark
    }

    /// Does the same, but the verdicts wait in a storm.
    @discardableResult
    func storm(_ app: String = "ios") async throws -> AccountKey {
        try await refuseEverybody(app, judgement: .storm)
    }

    /// Does the same, but the verdicts are believed: all devices are in quarantine.
    func quarantineEverybody(_ app: String = "ios") async throws {
        let mark = try await refuseEverybody(app)
        let store = try openStore()
        let rules = QuarantineRules(maxErrors: 5, significantErrorDelaySeconds: 86_400)
        let judged = try store.verdicts.judgeWhole(mark, at: Self.now) { _ in .believe }
        #expect(judged != nil, "there is more to come of the account")
        while try store.verdicts.settleCleared(mark, rules: rules, at: Self.now).hasMore {}
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
