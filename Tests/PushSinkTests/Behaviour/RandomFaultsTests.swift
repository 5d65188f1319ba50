import Testing
import pushsink

@Suite struct RandomFaultsTests {
    private static let now = Instant(nanoseconds: 1)

    /// Returns the answers to the given number of requests, one after the other.
    private func series(
        _ plan: FaultPlan, _ dialect: RuleDialect = .apns, rules: String = "", requests: Int = 2000,
        token: (Int) -> String = { _ in "ab" }
    ) throws -> [SinkAnswer] {
        let book = try RuleBook(text: rules, file: "rules", for: dialect)
        var behaviours = plan.over([book], of: dialect)
        return (0..<requests).map { number in
            token(number).asBytes {
                behaviours[0].answer(SinkRequest(device: $0, connection: 1, stream: 1), at: Self.now)
                    ?? .accept
            }
        }
    }

    @Test func `a seed determines the series of faults, and another seed gives another series`() throws {
        let plan = FaultPlan(seed: 7, every: 20)
        #expect(try series(plan) == series(plan))
        #expect(try series(plan) != series(FaultPlan(seed: 8, every: 20)))
        #expect(try series(plan, .apns).map(\.fault) != series(plan, .fcm).map(\.fault))
    }

    @Test(arguments: [RuleDialect.apns, .fcm, .binary], [1, 2, 3] as [UInt64])
    func `every fault occurs before any fault occurs again`(dialect: RuleDialect, seed: UInt64) throws {
        let answers = try series(FaultPlan(seed: seed, every: 10), dialect, requests: 3000)
        var turns: [RandomFault] = []
        for (index, answer) in answers.enumerated() {
            guard let fault = answer.fault else { continue }
            // Consecutive answers in a burst count as one turn.
            if index == 0 || answers[index - 1].fault != fault { turns.append(fault) }
        }
        let kinds = Set(turns)
        #expect(kinds.count == (dialect == .binary ? 8 : 12))
        #expect(Set(turns.prefix(kinds.count)) == kinds)
    }

    @Test func `the average distance between faults is the configured number of requests`() throws {
        let plan = FaultPlan(seed: 1, faults: [.reset], every: 50)
        let struck = try series(plan, requests: 50_000).count { $0.fault != nil }
        #expect((900...1100).contains(struck))
        let all = try series(FaultPlan(seed: 1, faults: [.reset], every: 1), requests: 100)
        #expect(all.allSatisfy { $0.fault == .reset })
    }

    @Test func `a request that the script refuses stays refused, and a request that it delays arrives late`()
        throws
    {
        let plan = FaultPlan(seed: 1, every: 1)
        let rules = "dead status 410 Unregistered\n* delay 5"
        let answers = try series(plan, rules: rules) { $0.isMultiple(of: 2) ? "dead" : "ab" }
        for (index, answer) in answers.enumerated() {
            if index.isMultiple(of: 2) {
                #expect(answer == SinkAnswer(.reject(Rejection(status: 410, reason: "Unregistered"))))
            } else {
                #expect(answer.fault != nil && answer.delay >= .milliseconds(5))
            }
        }
    }

    @Test func `faults can be limited in number and by type`() throws {
        let plan = FaultPlan(seed: 3, faults: [.close, .shutdown], every: 5, count: 4)
        let answers = try series(plan, .binary)
        #expect(
            answers.compactMap(\.fault).count == 4 && Set(answers.compactMap(\.fault)) == [.close, .shutdown])
        #expect(try series(plan).compactMap(\.fault) == [.close, .close, .close, .close])
        #expect(try series(FaultPlan(seed: 3, faults: [.tls], every: 1)).allSatisfy { $0 == .accept })
    }

    @Test func `the first connection is admitted, and the same later connections are refused each time`()
        throws
    {
        let door = try #require(FaultPlan(seed: 5).door(of: .apns))
        func visits(_ door: ConnectionFaults, _ count: Int) -> [Bool] {
            var door = door
            return (0..<count).map { _ in door.turnsAway() }
        }
        let seen = visits(door, 1000)
        #expect(seen == visits(door, 1000) && !seen[0])
        #expect((150...500).contains(seen.count { $0 }))
        #expect(visits(.every(3), 7) == [false, false, true, false, false, true, false])
        #expect(FaultPlan(seed: 5, faults: [.reset]).door(of: .apns) == nil)
    }
}
