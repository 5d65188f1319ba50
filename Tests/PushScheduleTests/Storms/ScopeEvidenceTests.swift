import PushModel
import PushSchedule
import Testing

@Suite struct `What several answers are about` {
    private let t0 = MonotonicTime(nanoseconds: 0)

    @Test func `one answer is about its message, however often it comes`() {
        var evidence = ScopeEvidence()
        for _ in 0..<20 {
            #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        }
        for _ in 0..<20 {
            #expect(evidence.note(token: 1, topic: "b", word: "Forbidden", at: t0) == .message)
        }
    }

    @Test func `a second token means the topic, a second token of a second topic the account`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: "a", word: "Forbidden", at: t0) == .topic)
        #expect(evidence.note(token: 3, topic: "b", word: "Forbidden", at: t0) == .account)
    }

    @Test func `a gateway without topics means its account by a second token`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: nil, word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: nil, word: "Forbidden", at: t0) == .account)
    }

    @Test func `another answer to another token is no evidence`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: "a", word: "Forbidden", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: "b", word: "(unknown) status 403", at: t0) == .message)
        #expect(evidence.note(token: 1, topic: "a", word: "(unknown) status 403", at: t0) == .account)
        #expect(evidence.note(token: 3, topic: "a", word: "Forbidden", at: t0) == .topic)
        #expect(evidence.note(token: 4, topic: "a", word: "SomethingElse", at: t0) == .message)
    }

    @Test func `an answer that comes again is as young as the last time`() {
        var evidence = ScopeEvidence()
        for minute in Int64(0)..<60 {
            _ = evidence.note(
                token: 1, topic: nil, word: "pause", at: t0.advanced(bySeconds: 60 * minute))
        }
        let later = t0.advanced(bySeconds: 3_700)
        #expect(evidence.note(token: 2, topic: nil, word: "pause", at: later) == .account)
    }

    @Test func `an acceptance in between, or ten minutes, begin again`() {
        var evidence = ScopeEvidence()
        _ = evidence.note(token: 1, topic: nil, word: "Forbidden", at: t0)
        evidence.clear()
        #expect(evidence.isEmpty)
        #expect(evidence.note(token: 2, topic: nil, word: "Forbidden", at: t0) == .message)
        #expect(
            evidence.note(token: 3, topic: nil, word: "Forbidden", at: t0.advanced(bySeconds: 600))
                == .message)
    }

    @Test func `what is kept is bounded`() {
        var evidence = ScopeEvidence()
        for token in 0..<100_000 {
            _ = evidence.note(token: token, topic: "\(token)", word: "Forbidden", at: t0)
        }
        #expect(evidence.note(token: -1, topic: "a", word: "Forbidden", at: t0) == .account)
    }
}
