import PushChild
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct ChildTests {
    // MARK: Sending

    @Test func `a child sends hello, and then one outcome for each message that it was granted`() throws {
        let master = try MasterEnd()
        guard case .hello(let version, let process)? = try master.next().map({ try LinkReport($0) }) else {
            Issue.record("no hello")
            return
        }
        #expect(version == ChildLink.version)
        #expect(process > 0)
        try master.account()
        try master.job()
        try master.grant(1, messages: 1...1_000)
        try master.grant(2, messages: 1_001...1_001)
        try master.grant(3, messages: 1_002...9_000)
        let reported = try master.outcomes(9_000)
        #expect(reported.accepted.sorted() == Array(1...9_000))
        #expect(reported.grants == [1: 1_000, 2: 1, 3: 7_999])
        #expect(reported.news.isEmpty)
    }

    @Test func `accounts take turns, and an account with many messages does not delay one with few messages`()
        throws
    {
        let master = try MasterEnd()
        for number in 1...2 {
            try master.account(AccountID(number))
            try master.job(JobID(number), account: AccountID(number))
        }
        try master.send(
            MasterEnd.grant(1, job: 1, messages: 1...20_000)
                + MasterEnd.grant(2, job: 2, messages: 30_001...30_010))
        let reported = try master.outcomes(20_010)
        let last = try #require(reported.accepted.lastIndex { $0 > 30_000 })
        #expect(last < 15_000)
        #expect(Set(reported.accepted).count == 20_010)
    }

    @Test func `urgent messages are submitted before waiting messages of the same account`() throws {
        let master = try MasterEnd()
        try master.account()
        for (job, priority) in [(JobID(1), DeliveryPriority.veryLow), (2, .veryHigh), (3, .normal)] {
            try master.job(job, priority: priority)
        }
        try master.send(
            MasterEnd.grant(1, job: 1, messages: 1...20_000)
                + MasterEnd.grant(2, job: 3, messages: 40_001...40_010)
                + MasterEnd.grant(3, job: 2, messages: 30_001...30_010))
        let accepted = try master.outcomes(20_020).accepted
        let urgent = try #require(accepted.lastIndex { (30_001...30_010).contains($0) })
        let normal = try #require(accepted.lastIndex { $0 > 40_000 })
        #expect(urgent < normal && normal < 15_000)
        #expect(Set(accepted).count == 20_020)
    }

    @Test func `content that is too long for the gateway fails before a connection is opened`() throws {
        let master = try MasterEnd()
        try master.account(1, connector: .iosHTTP2, credential: try MasterEnd.credential(), port: 1)
        try master.job(1, content: #"{"title":"\#(String(repeating: "x", count: 4_090))"}"#)
        try master.grant(1, job: 1, messages: 1...3)
        let reported = try master.outcomes(3)
        #expect(reported.news.isEmpty)
        #expect(reported.requeued.isEmpty)
        #expect(reported.reasons.count == 1)
        #expect(reported.reasons.allSatisfy { $0.contains("4096") })
    }

    // MARK: Putting back

    @Test func `messages for a job that was not introduced are returned`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.grant(1, job: 77, messages: 1...5)
        let reported = try master.outcomes(5)
        #expect(reported.requeued == [1, 2, 3, 4, 5])
        #expect(reported.others.allSatisfy { $0.attempts == 2 })
    }

    @Test func `a job that arrives before its account becomes ready when the account arrives`() throws {
        let master = try MasterEnd()
        try master.job(1)
        try master.account()
        try master.grant(1, messages: 1...3)
        #expect(try master.outcomes(3).accepted == [1, 2, 3])
    }

    @Test func `messages for an unusable account are returned, each time with the reason`() throws {
        let master = try MasterEnd()
        try master.account(1, connector: .iosHTTP2, credential: [])
        try master.job()
        // Without this report, the master would not learn of the problem, and would immediately send grants
        // again.
        for number in 1...3 {
            try master.grant(GrantID(number), messages: Int64(number)...Int64(number))
            let reported = try master.outcomes(1)
            #expect(reported.requeued == [Int64(number)])
            #expect(reported.news.map(\.kind) == [.refused])
            #expect(reported.newsCameFirst)
        }
    }

    @Test func `an unknown connector is an error in the account and does not end the child`() throws {
        let master = try MasterEnd()
        for number in 1...2 {
            try master.account(
                AccountID(number), connector: number == 1 ? ConnectorName(rawValue: "pigeon") : .stub)
            try master.job(JobID(number), account: AccountID(number))
            try master.grant(
                GrantID(number), job: JobID(number), messages: Int64(number)...Int64(number))
        }
        let reported = try master.outcomes(2)
        #expect(reported.requeued == [1])
        #expect(reported.accepted == [2])
        #expect(reported.news.map(\.kind) == [.refused])
        #expect(reported.news.allSatisfy { $0.text.contains("pigeon") })
    }

    @Test func `if content cannot be compiled, only its own messages fail, and no other message stops`()
        throws
    {
        let master = try MasterEnd()
        try master.account()
        try master.job(1, content: "no JSON")
        try master.job(2)
        try master.grant(1, job: 1, messages: 1...2)
        try master.grant(2, job: 2, messages: 3...4)
        let reported = try master.outcomes(4)
        #expect(reported.accepted == [3, 4])
        #expect(reported.news.isEmpty)
        for outcome in reported.others {
            guard case .rejected(let verdict, let reason) = outcome.outcome else {
                Issue.record("\(outcome.outcome)")
                continue
            }
            #expect(verdict.scope == .transient, "no gateway was asked, so nothing is learnt of the account")
            #expect(verdict.schedule == .none)
            #expect(reason.contains("content"))
        }
    }

    @Test func `after a delivery's validity has ended, none of its messages is sent`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.job(validFor: 0)
        try master.grant(1, messages: 1...100)
        #expect(try master.outcomes(100).requeued == Array(1...100))
    }

    @Test func `messages for a retired job are returned`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.job()
        try master.send(.retireJob(1))
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).requeued.count == 10)
    }

    @Test func `an unreachable gateway is reported before messages are returned`() throws {
        let master = try MasterEnd()
        // No process listens on port 1 of the loopback address.
        try master.account(1, connector: .iosHTTP2, credential: try MasterEnd.credential(), port: 1)
        try master.job()
        try master.grant(1, messages: 1...500)
        let reported = try master.outcomes(500)
        #expect(reported.requeued.sorted() == Array(1...500))
        #expect(reported.news.map(\.kind) == [.unreachable])
        #expect(reported.newsCameFirst)
        #expect(reported.reasons.count == 1)
    }

    @Test func `messages from one account never go through another account, whenever they arrive`() throws {
        let master = try MasterEnd()
        try master.account(1)
        try master.account(2, connector: .iosHTTP2, credential: try MasterEnd.credential(), port: 1)
        for number in 1...2 { try master.job(JobID(number), account: AccountID(number)) }
        var grant: GrantID = 0
        for round in Int64(0)..<5 {
            let base = round * 100_000
            // With this number, the same message exhausts both the grant and the stub's capacity in the
            // stub's last turn.
            grant += 2
            try master.send(
                MasterEnd.grant(grant - 1, job: 1, messages: base + 1...base + 5_000, tokenBytes: 1)
                    + MasterEnd.grant(grant, job: 1, messages: base + 5_001...base + 10_048, tokenBytes: 1))
            // Grants for the other account arrive at every moment until the first acceptances come.
            var reported = Reported()
            var others: Int64 = 0
            while reported.accepted.isEmpty, others < 5_000 {
                grant += 1
                others += 1
                try master.grant(grant, job: 2, messages: base + 50_000 + others...base + 50_000 + others)
                try master.outcomesByNow(into: &reported)
            }
            try master.outcomes(10_048 + Int(others), into: &reported)
            #expect(reported.accepted.allSatisfy { $0 - base <= 10_048 })
            #expect(reported.requeued.allSatisfy { $0 - base > 50_000 })
        }
    }

    // MARK: Life

    @Test func `a child sends heartbeats even if it has nothing to report`() throws {
        let master = try MasterEnd()
        for _ in 0..<2 {
            guard case .heartbeat(let beat) = try master.next(.heartbeat) else { return }
            #expect(beat.waiting == 0)
            #expect(beat.inFlight == 0)
            #expect(beat.residentKilobytes > 0)
        }
    }

    @Test func `a draining child returns its unsubmitted messages, reports the other ones, and ends`() throws
    {
        let master = try MasterEnd()
        try master.account()
        try master.job()
        try master.grant(1, messages: 1...5_000)
        try master.send(.drain)
        let outcomes = try master.outcomes(5_000)
        #expect(outcomes.accepted.count + outcomes.others.count == 5_000)
        for other in outcomes.others {
            guard case .neverSent = other.outcome else {
                Issue.record("neither accepted nor given back: \(other.outcome)")
                continue
            }
        }
        #expect(master.end() == .returned)
        while let frame = try master.next() { #expect(frame.kind == .heartbeat) }
    }

    @Test func `a child without work ends when its idle time has passed`() throws {
        let master = try MasterEnd(idleSeconds: 0)
        #expect(master.end() == .returned)
    }

    @Test func `a child ends when its master is gone, whatever messages the child has`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.job()
        try master.grant(1, messages: 1...5_000)
        master.hangUp()
        #expect(master.end() == .returned)
    }

    @Test func `a master that sends garbage causes the child to end with an error`() throws {
        let master = try MasterEnd()
        try master.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        guard case .threw(let why)? = master.end() else {
            Issue.record("it continued")
            return
        }
        #expect(why.contains("frame"))
    }

    @Test
    func `a master with another version causes the child to end with an error that states both versions`()
        throws
    {
        let master = try MasterEnd()
        var writer = ByteWriter()
        let start = writer.beginFrame(.welcome)
        writer.append(ChildLink.version + 1)
        writer.endFrame(start)
        try master.send(writer.bytes)
        guard case .threw(let why)? = master.end() else {
            Issue.record("it continued")
            return
        }
        #expect(why.contains("version \(ChildLink.version + 1)"))
    }
}
