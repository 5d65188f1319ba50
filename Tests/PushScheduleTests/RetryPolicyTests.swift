import PushModel
import PushSchedule
import Testing

@Suite struct `The retry policy` {
    let message = MessageID(rawValue: 9)
    let now = WallTime(secondsSince1970: 1_000_000)

    func verdict(_ schedule: Verdict.Schedule, minimum: Int32 = 0, counts: Bool = true) -> Verdict {
        Verdict(
            scope: .transient, schedule: schedule, minimumDelaySeconds: minimum, countsAttempt: counts,
            failureType: .soft, failureReason: .refused, quarantine: .no)
    }
    func decide(_ outcome: Outcome, attempts: Int = 0) -> RetryPolicy.Decision {
        RetryPolicy().decide(outcome, of: message, attempts: attempts, at: now, jitter: { $0 })
    }
    func record(_ change: MessageRecord.Change, counts: Bool = true) -> RetryPolicy.Decision {
        .record(MessageRecord(message: message, change: change, countsAttempt: counts))
    }

    @Test func `an acceptance is final`() {
        #expect(decide(.accepted(providerID: "x")) == record(.sent(providerID: "x")))
    }

    @Test(arguments: [Verdict.Schedule.none, .calendar])
    func `a refusal without another try is final with the gateway's word`(schedule: Verdict.Schedule) {
        #expect(
            decide(.rejected(verdict(schedule), reason: "Unregistered"))
                == record(.failed(.soft, .refused, providerReason: "Unregistered")))
    }

    @Test func `what the account must answer for goes back untouched`() {
        #expect(decide(.rejected(verdict(.hold), reason: "InvalidProviderToken")) == .putBack)
        #expect(decide(.neverSent(verdict(.now), reason: "(connect failed)")) == .putBack)
    }

    @Test(arguments: [(0, 1), (1, 2), (2, 4), (3, 8)])
    func `a cut connection is tried again later and later`(attempts: Int, seconds: Int64) {
        #expect(
            decide(.undecided(verdict(.soon, minimum: 1), reason: "lost"), attempts: attempts)
                == record(.retrying(due: now.advanced(bySeconds: seconds), .soft, .refused, providerReason: "lost")))
    }

    @Test func `what the gateway would not look at rests for a while, and its tries do not count`() {
        #expect(
            decide(.rejected(verdict(.now, counts: false), reason: "Shutdown"), attempts: 9)
                == record(
                    .retrying(due: now.advanced(bySeconds: 10), .soft, .refused, providerReason: "Shutdown"),
                    counts: false))
    }

    @Test func `the fifth try is the last`() {
        #expect(
            decide(.undecided(verdict(.soon, minimum: 1), reason: "lost"), attempts: 4)
                == record(.failed(.soft, .refused, providerReason: "lost")))
    }

    @Test func `tries that do not count do not use up the five`() {
        let outcome = Outcome.rejected(verdict(.soon, minimum: 60, counts: false), reason: "r")
        #expect(
            decide(outcome, attempts: 4)
                == record(
                    .retrying(due: now.advanced(bySeconds: 480), .soft, .refused, providerReason: "r"), counts: false))
    }

    @Test func `jitter never goes below the gateway's minimum`() {
        let decision = RetryPolicy().decide(
            .rejected(verdict(.soon, minimum: 60), reason: "r"), of: message, attempts: 0, at: now, jitter: { _ in 0 })
        #expect(
            decision == record(.retrying(due: now.advanced(bySeconds: 60), .soft, .refused, providerReason: "r")))
    }

    @Test func `a payload that grew too large is excluded with both sizes`() {
        #expect(
            decide(.tooLarge(bytes: 4_100, limit: 4_096))
                == record(.excluded(.refused, why: "payload too long: 4100 bytes, 4096 allowed"), counts: false))
    }
}
