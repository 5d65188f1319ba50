import PushModel
import PushSchedule
import Testing

@Suite struct `The scope of several answers` {
    private let t0 = MonotonicTime(nanoseconds: 0)

    @Test func `one answer only implicates its message, however often the answer is repeated`() {
        var evidence = ScopeEvidence()
        for _ in 0..<20 {
            #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        }
        for _ in 0..<20 {
            #expect(evidence.note(token: 1, topic: "b", word: "Forbidden", at: t0) == .message)
        }
    }

    @Test
    func
        `a second token implicates the topic, and a second token under another topic implicates the account`()
    {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: "a", word: "Forbidden", at: t0) == .topic)
        #expect(evidence.note(token: 3, topic: "b", word: "Forbidden", at: t0) == .account)
    }

    @Test func `if a gateway has no topics, a second token implicates the account`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: nil, word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: nil, word: "Forbidden", at: t0) == .account)
    }

    @Test func `a different answer to another token does not count as evidence`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: "b", word: "(unknown) status 403", at: t0) == .message)
        #expect(evidence.note(token: 1, topic: "a", word: "(unknown) status 403", at: t0) == .account)
        #expect(evidence.note(token: 3, topic: "a", word: "Forbidden", at: t0) == .topic)
        #expect(evidence.note(token: 4, topic: "a", word: "SomethingElse", at: t0) == .message)
    }

    @Test func `a repeated answer is as recent as its latest occurrence`() {
        var evidence = ScopeEvidence()
        for minute in Int64(0)..<60 {
            _ = evidence.note(
                token: 1, topic: nil, word: "pause", at: t0.advanced(bySeconds: 60 * minute))
        }
        let later = t0.advanced(bySeconds: 3_700)
        #expect(evidence.note(token: 2, topic: nil, word: "pause", at: later) == .account)
    }

    @Test func `an intervening acceptance, or a gap of ten minutes, restarts the evidence`() {
        var evidence = ScopeEvidence()
        _ = evidence.note(token: 1, topic: nil, word: "Forbidden", at: t0)
        evidence.clear()
        #expect(evidence.isEmpty)
        #expect(evidence.note(token: 2, topic: nil, word: "Forbidden", at: t0) == .message)
        #expect(
            evidence.note(token: 3, topic: nil, word: "Forbidden", at: t0.advanced(bySeconds: 600))
                == .message)
    }

    @Test func `the amount of stored evidence is limited`() {
        var evidence = ScopeEvidence()
        for token in 0..<100_000 {
            _ = evidence.note(token: token, topic: "\(token)", word: "Forbidden", at: t0)
        }
        #expect(evidence.note(token: -1, topic: "a", word: "Forbidden", at: t0) == .account)
    }
}
