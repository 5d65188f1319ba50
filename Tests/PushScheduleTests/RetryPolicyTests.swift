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
    let account = AccountKey(rawValue: "an account")

    func decide(
        _ outcome: Outcome, attempts: Int = 0, expiresAt: WallTime? = nil,
        calendar: RetryCalendar = RetryCalendar(), fast: FastRetries = FastRetries(),
        isNowOrNever: Bool = false,
        jitter: (Int64) -> Int64 = { $0 }
    ) -> RetryPolicy.Decision {
        RetryPolicy(calendar: calendar, fast: fast).decide(
            outcome,
            of: RetryPolicy.Message(
                id: message, attempts: attempts, expiresAt: expiresAt, account: account,
                isNowOrNever: isNowOrNever),
            at: now, jitter: jitter)
    }
    func record(_ change: MessageRecord.Change, counts: Bool = true) -> RetryPolicy.Decision {
        .record(MessageRecord(message: message, change: change, countsAttempt: counts))
    }
    func due(afterSeconds seconds: Int64, counts: Bool = true) -> RetryPolicy.Decision {
        record(
            .retrying(due: now.advanced(bySeconds: seconds), .soft, .refused, providerReason: "r"),
            counts: counts)
    }

    @Test func `an acceptance is a final outcome`() {
        #expect(decide(.accepted(providerID: "x")) == record(.sent(providerID: "x")))
    }

    @Test func `a refusal that allows no retry is a final outcome, with the gateway's reason code`() {
        #expect(
            decide(.rejected(verdict(.none), reason: "Unregistered"))
                == record(.failed(.soft, .refused, providerReason: "Unregistered")))
    }

    @Test func `a message that failed because of its account is requeued unchanged`() {
        #expect(decide(.rejected(verdict(.hold), reason: "InvalidProviderToken")) == .requeued)
        #expect(decide(.neverSent(verdict(.now), reason: "(connect failed)")) == .requeued)
    }

    @Test(arguments: [Verdict.Schedule.now, .soon, .calendar, .hold, .none])
    func `a now-or-never message ends with the answer to its single attempt`(schedule: Verdict.Schedule) {
        let failed = record(.failed(.soft, .refused, providerReason: "r"))
        #expect(decide(.rejected(verdict(schedule), reason: "r"), isNowOrNever: true) == failed)
        #expect(decide(.undecided(verdict(schedule), reason: "r"), isNowOrNever: true) == failed)
        // The gateway did not receive the message, so the message can still make its single attempt.
        #expect(decide(.neverSent(verdict(schedule), reason: "r"), isNowOrNever: true) == .requeued)
        #expect(decide(.accepted(providerID: nil), isNowOrNever: true) == record(.sent(providerID: nil)))
    }

    @Test(arguments: [(0, 1), (1, 2), (2, 4), (3, 8)])
    func `a message whose connection was cut is retried with increasing delays`(attempts: Int, seconds: Int64)
    {
        #expect(
            decide(.undecided(verdict(.soon, minimum: 1), reason: "lost"), attempts: attempts)
                == record(
                    .retrying(due: now.advanced(bySeconds: seconds), .soft, .refused, providerReason: "lost"))
        )
    }

    @Test
    func `a message that the gateway did not process waits for a while, and the attempt does not count`() {
        #expect(
            decide(.rejected(verdict(.now, counts: false), reason: "Shutdown"), attempts: 9)
                == record(
                    .retrying(due: now.advanced(bySeconds: 10), .soft, .refused, providerReason: "Shutdown"),
                    counts: false))
    }

    @Test func `after the fifth attempt, the retry calendar replaces fast retries`() {
        let lost = Outcome.undecided(verdict(.soon, minimum: 1), reason: "r")
        #expect(decide(lost, attempts: 4) == due(afterSeconds: 3_600))
        #expect(decide(lost, attempts: 5) == due(afterSeconds: 86_400))
    }

    @Test
    func `the number and first delay of fast retries are settings, and the gateway's minimum delay applies`()
    {
        let failed = Outcome.rejected(verdict(.soon, minimum: 1), reason: "r")
        let calendarDelay: Int64 = 3_600
        let two = FastRetries(count: 2, delaySeconds: 30)
        for (attempts, seconds) in [(0, 30), (1, 60), (2, calendarDelay)] as [(Int, Int64)] {
            #expect(decide(failed, attempts: attempts, fast: two) == due(afterSeconds: seconds))
        }
        #expect(decide(failed, fast: FastRetries(count: 0)) == due(afterSeconds: calendarDelay))
        let slow = Outcome.rejected(verdict(.soon, minimum: 60), reason: "r")
        #expect(decide(slow, attempts: 1, fast: two) == due(afterSeconds: 120))
        let most = FastRetries(count: 20, delaySeconds: 3_600)
        #expect(decide(failed, attempts: 19, fast: most) == due(afterSeconds: 3_600))
        #expect(
            decide(failed, attempts: 3, fast: FastRetries(count: 9, delaySeconds: .max))
                == due(afterSeconds: 3_600))
    }

    @Test func `the maximum number of attempts in the table applies`() {
        var once = verdict(.soon, minimum: 10)
        once.maximumTries = 2
        #expect(decide(.rejected(once, reason: "r"), attempts: 0) == due(afterSeconds: 10))
        #expect(
            decide(.rejected(once, reason: "r"), attempts: 1)
                == record(.failed(.soft, .refused, providerReason: "r")))
    }

    @Test(arguments: [(0, 3_600), (1, 3_600), (4, 3_600), (5, 86_400), (40, 86_400)])
    func `the calendar has five retries an hour apart, then one a day`(attempts: Int, seconds: Int64) {
        #expect(
            decide(.rejected(verdict(.calendar), reason: "r"), attempts: attempts)
                == due(afterSeconds: seconds))
    }

    @Test func `the calendar respects the gateway's minimum delay, unless the operator overrides it`() {
        let minute = RetryCalendar(retriesOnFirstDay: 5, periodSeconds: 60)
        let outcome = Outcome.rejected(verdict(.calendar, minimum: 900), reason: "r")
        #expect(decide(outcome, calendar: minute) == due(afterSeconds: 900))
        let hasty = RetryCalendar(retriesOnFirstDay: 5, periodSeconds: 60, keepsMinimumDelays: false)
        #expect(decide(outcome, calendar: hasty) == due(afterSeconds: 60))
    }

    @Test func `a retry that would be due after the end of validity fails immediately with its last answer`()
    {
        let outcome = Outcome.rejected(verdict(.calendar), reason: "r")
        let failed = record(.failed(.soft, .refused, providerReason: "r"))
        #expect(decide(outcome, expiresAt: now.advanced(bySeconds: 3_600)) == failed)
        #expect(decide(outcome, expiresAt: now.advanced(bySeconds: 3_601)) == due(afterSeconds: 3_600))
    }

    @Test func `random variation moves a daily retry by minutes and not by hours`() {
        let outcome = Outcome.rejected(verdict(.calendar), reason: "r")
        #expect(decide(outcome, attempts: 9, jitter: { $0 + $0 / 4 }) == due(afterSeconds: 86_550))
    }

    @Test(arguments: [
        (Verdict.Quarantine.yes, TokenVerdict.Gravity?.some(.dead)), (.byCounter, .suspect), (.no, nil),
    ])
    func
        `the result of an answer about a token contains the verdict and the account that received the answer`(
            quarantine: Verdict.Quarantine, gravity: TokenVerdict.Gravity?
        )
    {
        var dead = verdict(.none)
        dead.scope = .token
        dead.quarantine = quarantine
        dead.tokenDeadSince = WallMoment(millisecondsSince1970: 5)
        guard case .record(let record) = decide(.rejected(dead, reason: "r")) else {
            Issue.record("nothing is recorded")
            return
        }
        let since = WallMoment(millisecondsSince1970: 5)
        #expect(
            record.tokenVerdict
                == gravity.map { TokenVerdict(gravity: $0, deadSince: since, account: account) })
    }

    @Test func `a token whose date of death is in the future counts as dead from now on`() {
        var verdict = Verdict(
            scope: .token, schedule: .none, countsAttempt: true, failureType: .hard,
            failureReason: .userUnknown, quarantine: .yes)
        verdict.tokenDeadSince = WallMoment(millisecondsSince1970: .max)
        guard case .record(let record) = decide(.rejected(verdict, reason: "r")) else {
            Issue.record("no record")
            return
        }
        #expect(record.tokenVerdict?.deadSince == WallMoment(now))
    }

    @Test func `a long wait that the gateway requests is kept, unless it would end the message`() {
        let outcome = Outcome.rejected(verdict(.soon, minimum: 86_400), reason: "r")
        #expect(decide(outcome) == due(afterSeconds: 86_400))
        #expect(decide(outcome, expiresAt: now.advanced(bySeconds: 86_401)) == due(afterSeconds: 86_400))
        #expect(decide(outcome, expiresAt: now.advanced(bySeconds: 7_200)) == due(afterSeconds: 3_600))
        #expect(
            decide(outcome, expiresAt: now.advanced(bySeconds: 600))
                == record(.failed(.soft, .refused, providerReason: "r")))
    }

    @Test func `attempts that do not count do not use up the five fast retries`() {
        let outcome = Outcome.rejected(verdict(.soon, minimum: 60, counts: false), reason: "r")
        #expect(
            decide(outcome, attempts: 4)
                == record(
                    .retrying(due: now.advanced(bySeconds: 480), .soft, .refused, providerReason: "r"),
                    counts: false))
    }

    @Test func `random variation never shortens a delay below the gateway's minimum`() {
        let decision = decide(.rejected(verdict(.soon, minimum: 60), reason: "r"), jitter: { _ in 0 })
        #expect(decision == due(afterSeconds: 60))
    }

    @Test func `a payload that grew too large is excluded, and the reason contains its size and the limit`() {
        #expect(
            decide(.tooLarge(bytes: 4_100, limit: 4_096))
                == record(.excluded(.refused, why: "payload too long: more than 4096 bytes"), counts: false))
    }

    @Test func `a message that lacks a required parameter is excluded, and the reason names the parameter`() {
        #expect(
            decide(.missing(parameter: "firstName"))
                == record(.excluded(.undefined, why: "no value for {{firstName}}"), counts: false))
    }
}
