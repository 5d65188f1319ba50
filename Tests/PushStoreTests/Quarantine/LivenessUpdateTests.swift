import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct ProofOfLifeTests {
    private let noon = TemporaryStore.noon

    /// Three subscribers with one error each.
    private func withErrors(_ story: (TemporaryStore, App) throws -> Void) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                try (1...3).map { TemporaryStore.bad(try #require(messages[$0]), .suspect) }, accepted: 7,
                of: id)
            #expect(try fixture.settle().counted == 3)
            #expect(try fixture.quarantine(of: app) == [1: .counting, 2: .counting, 3: .counting])
            try story(fixture, app)
        }
    }

    @Test func `a success clears only the errors of its own token`() throws {
        try withErrors { fixture, app in
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.accept([try #require(messages[2]), try #require(messages[8])], of: id)
            #expect(try fixture.quarantine(of: app) == [1: .counting, 3: .counting])
            // An acceptance that contains an id from the gateway counts too.
            var batch = OutcomeBatch(delivery: id)
            batch.others = [
                MessageRecord(
                    message: try #require(messages[3]), change: .sent(providerID: "p"), countsAttempt: true)
            ]
            _ = try fixture.store.outcomes.record([batch], at: noon)
            #expect(try fixture.quarantine(of: app) == [1: .counting])
        }
    }

    @Test func `a refusal clears no error, nor does an acceptance of a message from another delivery`() throws
    {
        try withErrors { fixture, app in
            let (id, messages) = try fixture.deliver(to: app)
            let other = try fixture.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = [
                MessageRecord(
                    message: try #require(messages[1]),
                    change: .failed(.ignored, .refused, providerReason: "x"),
                    countsAttempt: true)
            ]
            batch.accepted = [try #require(other.messages[2])]
            _ = try fixture.store.outcomes.record([batch], at: noon)
            #expect(try fixture.counts(id).failed == 1 && fixture.counts(id).pending == 9)
            #expect(try fixture.counts(other.id).pending == 10)
            #expect(try fixture.quarantine(of: app).count == 3)
        }
    }

    @Test func `a success removes waiting verdicts, except those that arrive together with it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let first = try fixture.deliver(to: app)
            let second = try fixture.deliver(to: app)
            try fixture.record(
                try (1...4).map { TemporaryStore.bad(try #require(first.messages[$0])) }, of: first.id)
            var accepted = OutcomeBatch(delivery: second.id)
            accepted.accepted = try (1...2).map { try #require(second.messages[$0]) }
            accepted.answers = [AccountAnswers(account: TemporaryStore.mark, accepted: 2)]
            var refused = OutcomeBatch(delivery: first.id)
            refused.others = [TemporaryStore.bad(try #require(first.messages[5]))]
            var same = OutcomeBatch(delivery: second.id)
            same.accepted = [try #require(second.messages[5])]
            let result = try fixture.store.outcomes.record([accepted, refused, same], at: noon)
            #expect(result.trust.map(\.waiting) == [3])
            #expect(try fixture.settle().quarantined == 3)
            #expect(try fixture.quarantine(of: app) == [3: .quarantined, 4: .quarantined, 5: .quarantined])
        }
    }
}
