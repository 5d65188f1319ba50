import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct WebhookPlanTests {
    private static let noon = WallMoment(millisecondsSince1970: 1_800_000_000_000)

    private func later(_ seconds: Int64) -> WallMoment {
        WallMoment(millisecondsSince1970: Self.noon.millisecondsSince1970 + seconds * 1_000)
    }

    private func sight(
        _ id: Int64, mark: String = "a", isEnabled: Bool = true, next: WallMoment? = nil, behind: Int64 = 1
    ) -> WebhookPlan.StoredWebhook {
        WebhookPlan.StoredWebhook(
            id: WebhookID(rawValue: id), mark: mark, isEnabled: isEnabled, next: next, behind: behind)
    }

    private func tell(_ id: Int64) -> WebhookPlan.Action { .tell(WebhookID(rawValue: id)) }
    private func cancel(_ id: Int64) -> WebhookPlan.Action { .cancel(WebhookID(rawValue: id)) }

    @Test func `each receiver has one request at a time, and no receiver waits for another`() {
        var plan = WebhookPlan()
        #expect(plan.see([sight(1), sight(2), sight(3, behind: 0)], at: Self.noon) == [tell(1), tell(2)])
        #expect(!plan.isIdle)
        #expect(plan.see([sight(1), sight(2), sight(3)], at: Self.noon) == [tell(3)])
        plan.ended(WebhookID(rawValue: 2))
        #expect(plan.see([sight(1), sight(2), sight(3)], at: Self.noon) == [tell(2)])
    }

    @Test func `no receiver is called too early, while it is disabled, or without a pending event`() {
        var plan = WebhookPlan()
        let sights = [
            sight(1, next: later(10)), sight(2, isEnabled: false), sight(3, behind: 0),
            sight(4, next: later(0)),
        ]
        #expect(plan.see(sights, at: Self.noon) == [tell(4)])
        #expect(plan.see(sights, at: later(9)) == [])
        #expect(plan.see(sights, at: later(10)) == [tell(1)])
    }

    @Test func `after the clock is set back, no receiver waits longer than the maximum back-off`() {
        var plan = WebhookPlan()
        #expect(
            plan.see([sight(1, next: later(3_600)), sight(2, next: later(3_601))], at: Self.noon) == [tell(2)]
        )
    }

    @Test func `a request to a receiver that is changed, disabled or deleted is abandoned`() {
        var plan = WebhookPlan()
        _ = plan.see([sight(1), sight(2), sight(3), sight(4)], at: Self.noon)
        #expect(
            plan.see([sight(1), sight(2, mark: "b"), sight(3, isEnabled: false)], at: Self.noon)
                == [cancel(2), cancel(3), cancel(4), tell(2)])
        #expect(plan.see([sight(1), sight(2, mark: "b"), sight(3)], at: Self.noon) == [tell(3)])
    }

    @Test func `after any events, no receiver has two requests, and each receiver that is due has one`() {
        var chance = SeededRandom(seed: 7)
        var plan = WebhookPlan()
        var underWay: [WebhookID: String] = [:]
        var now = Self.noon
        for _ in 0..<5_000 {
            now = WallMoment(
                millisecondsSince1970: now.millisecondsSince1970 + Int64.random(in: 0...900, using: &chance))
            let sights = (1...5).filter { _ in Int.random(in: 0..<10, using: &chance) > 0 }.map { id in
                sight(
                    Int64(id), mark: Int.random(in: 0..<20, using: &chance) == 0 ? "b" : "a",
                    isEnabled: Int.random(in: 0..<10, using: &chance) > 0,
                    next: Bool.random(using: &chance)
                        ? nil
                        : WallMoment(
                            millisecondsSince1970: now.millisecondsSince1970
                                + Int64.random(in: -500...500, using: &chance)),
                    behind: Int64.random(in: 0...2, using: &chance))
            }
            let known = Dictionary(uniqueKeysWithValues: sights.map { ($0.id, $0) })
            for action in plan.see(sights, at: now) {
                switch action {
                case .cancel(let id):
                    #expect(
                        underWay[id] != nil
                            && underWay[id] != known[id].flatMap { $0.isEnabled ? $0.mark : nil })
                    underWay[id] = nil
                case .tell(let id):
                    #expect(
                        underWay[id] == nil && known[id]?.isEnabled == true && (known[id]?.behind ?? 0) > 0)
                    #expect((known[id]?.next ?? now) <= now)
                    underWay[id] = known[id]?.mark
                }
            }
            for sight in sights where sight.isEnabled && sight.behind > 0 && (sight.next ?? now) <= now {
                #expect(underWay[sight.id] == sight.mark)
            }
            for id in underWay.keys.sorted() where Bool.random(using: &chance) {
                plan.ended(id)
                underWay[id] = nil
            }
            #expect(plan.isIdle == underWay.isEmpty)
        }
    }
}

@Suite struct WebhookBackOffTests {
    @Test func `the back-off doubles from one second to one hour, plus up to half of it at random`() {
        for (failures, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8), (12, 2_048)] as [(Int, Int64)] {
            #expect(WebhookBackOff.milliseconds(afterFailures: failures, jitter: 0) == seconds * 1_000)
            #expect(WebhookBackOff.milliseconds(afterFailures: failures, jitter: 1) == seconds * 1_500)
        }
        for failures in [13, 100, .max] {
            #expect(WebhookBackOff.milliseconds(afterFailures: failures, jitter: 0.5) == 3_600_000)
        }
        #expect(WebhookBackOff.milliseconds(afterFailures: 0, jitter: -3) == 1_000)
    }

    @Test func `the delay that the receiver requests is respected, up to one hour`() {
        func wait(_ asked: Int64) -> Int64 {
            WebhookBackOff.milliseconds(afterFailures: 3, retryAfterSeconds: asked, jitter: 0)
        }
        #expect(wait(30) == 30_000 && wait(1) == 4_000 && wait(-5) == 4_000)
        #expect(wait(3_600) == 3_600_000 && wait(.max) == 3_600_000)
    }
}

@Suite struct WebhookAnswerTests {
    @Test
    func `only a complete 2xx answer is a success, 410 ends the calls, and all other answers are retried`() {
        func meaning(_ status: Int, isWhole: Bool = true) -> WebhookAnswer.Meaning {
            WebhookAnswer.answered(status: status, isWhole: isWhole, retryAfterSeconds: 5).meaning
        }
        for status in [200, 201, 202, 204, 299] { #expect(meaning(status) == .taken) }
        for status in [100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 503] {
            #expect(meaning(status) == .again(retryAfterSeconds: 5))
        }
        #expect(meaning(410) == .gone && meaning(410, isWhole: false) == .gone)
        #expect(meaning(200, isWhole: false) == .again(retryAfterSeconds: 5))
        #expect(WebhookAnswer.unanswered(why: "no connection").meaning == .again(retryAfterSeconds: nil))
    }
}
