import PushAPI
import PushModel
import PushStore
import Testing

struct RetryFailedTests {
    /// A delivery to the given number of subscribers, whose tokens are all reported as dead, and the
    /// resulting storm.
    private static func storm(_ count: Int = 3) throws -> (TestInstance, DeliveryID) {
        let instance = try TestInstance.withApp()
        try instance.subscribe(count)
        let id = try instance.operations.carryOut(
            try TestInstance.submission(["schedule": ["validity": "2h"]])
        ).id
        try instance.refuse(id)
        return (instance, id)
    }

    private static func refusal(_ operation: RetryFailed, in instance: TestInstance) -> String {
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(operation) }
        #expect(error?.kind == .refused || error?.kind == .absent)
        return error?.description ?? ""
    }

    @Test
    func `messages that failed because of a discarded storm are sent again, and the master is notified`()
        throws
    {
        let (instance, id) = try Self.storm()
        let undecided = Self.refusal(RetryFailed(id: id), in: instance)
        #expect(undecided.contains("confirm or discard \"stub production"), "\(undecided)")
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .discard))
        let wakeUps = instance.engine.wakeUps
        var seen: [Int] = []
        let done = try instance.operations.carryOut(
            RetryFailed(id: id), watchedBy: Watch(report: { seen.append($0.result.retried) }))
        #expect(done.retried == 3 && done.left.isEmpty && seen == [3])
        #expect(done.expiresAt == TestInstance.noon.time.advanced(bySeconds: 7_200))
        #expect(instance.engine.wakeUps == wakeUps + 1)
        let view = try instance.operations.carryOut(ShowDelivery(id: id)).delivery
        #expect(view.state == .inProgress && view.counts.failed == 0 && view.counts.retrying == 3)
        #expect(Self.refusal(RetryFailed(id: id), in: instance).contains("no failed message"))
    }

    @Test func `after a storm is confirmed, a retry has no recipients until devices are released`() throws {
        let (instance, id) = try Self.storm()
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let why = Self.refusal(RetryFailed(id: id), in: instance)
        #expect(why.contains("3 to subscribers in quarantine or disabled"), "\(why)")
        #expect(try instance.store.deliveries.summary(of: id)?.state == .finished)
        _ = try instance.operations.carryOut(
            ReleaseFromQuarantine(app: "ios", userKey: "user2"))
        _ = try instance.operations.carryOut(RemoveSubscribers(.userKey("user3")))
        let done = try instance.operations.carryOut(RetryFailed(id: id))
        #expect(done.retried == 1 && done.excluded == 1 && done.gone == 1 && done.left.count == 2)
    }

    @Test
    func `a reason restricts the retry, and a reason without failures is refused with the existing ones`()
        throws
    {
        let (instance, id) = try Self.storm()
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .discard))
        let why = Self.refusal(RetryFailed(id: id, reason: "BadTopic"), in: instance)
        #expect(
            why.contains("failed for \"BadTopic\"; the reasons are: \"Unregistered\", \"User unknown\""),
            "\(why)")
        #expect(try instance.operations.carryOut(RetryFailed(id: id, reason: "User unknown")).retried == 3)
    }

    @Test
    func `an unknown delivery is refused, and a retry that is interrupted between steps keeps its progress`()
        throws
    {
        let (instance, id) = try Self.storm(6_000)
        #expect(
            Self.refusal(RetryFailed(id: DeliveryID(rawValue: 9)), in: instance).contains("no delivery 9"))
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .discard))
        var steps = 0
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                RetryFailed(id: id),
                watchedBy: Watch(report: { _ in steps += 1 }, isCancelled: { steps == 1 }))
        }
        #expect(error?.kind == .cancelled)
        let moved = try #require(try instance.store.deliveries.summary(of: id)).counts.retrying
        #expect(moved > 0 && moved < 6_000)
        #expect(try instance.operations.carryOut(RetryFailed(id: id)).retried == 6_000 - moved)
    }

    @Test func `a delivery's storms are found by their answers`() throws {
        let (instance, id) = try Self.storm(12)
        let storms = try instance.operations.carryOut(ShowDeliveryStorms(id: id))
        #expect(storms.storms.count == 1 && !storms.mayBegin)
        let other = try instance.operations.carryOut(try TestInstance.submission()).id
        #expect(try instance.operations.carryOut(ShowDeliveryStorms(id: other)).storms == [])
    }
}
