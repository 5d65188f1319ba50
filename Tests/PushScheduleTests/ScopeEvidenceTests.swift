import PushModel
import PushSchedule
import Testing

@Suite struct `What several answers are about` {
    private let t0 = MonotonicTime(nanoseconds: 0)

    @Test func `one answer is about its message, however often it comes`() {
        var evidence = ScopeEvidence()
        for _ in 0..<20 { #expect(evidence.note(token: 1, topic: "a", at: t0) == .message) }
        for _ in 0..<20 { #expect(evidence.note(token: 1, topic: "b", at: t0) == .message) }
    }

    @Test func `a second token means the topic, a second token of a second topic the account`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: "a", at: t0) == .message)
        #expect(evidence.note(token: 2, topic: "a", at: t0) == .topic)
        #expect(evidence.note(token: 3, topic: "b", at: t0) == .account)
    }

    @Test func `a gateway without topics means its account by a second token`() {
        var evidence = ScopeEvidence()
        #expect(evidence.note(token: 1, topic: nil, at: t0) == .message)
        #expect(evidence.note(token: 2, topic: nil, at: t0) == .account)
    }

    @Test func `an acceptance in between, or ten minutes, begin again`() {
        var evidence = ScopeEvidence()
        _ = evidence.note(token: 1, topic: nil, at: t0)
        evidence.clear()
        #expect(evidence.isEmpty)
        #expect(evidence.note(token: 2, topic: nil, at: t0) == .message)
        #expect(evidence.note(token: 3, topic: nil, at: t0.advanced(bySeconds: 600)) == .message)
    }

    @Test func `what is kept is bounded`() {
        var evidence = ScopeEvidence()
        for token in 0..<100_000 { _ = evidence.note(token: token, topic: "\(token)", at: t0) }
        #expect(evidence.note(token: -1, topic: "a", at: t0) == .account)
    }
}
