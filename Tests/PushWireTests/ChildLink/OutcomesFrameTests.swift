import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct `Outcomes on the link` {
    static let verdict = Verdict(
        scope: .token, schedule: .calendar, minimumDelaySeconds: 900, maximumTries: 2, countsAttempt: true,
        failureType: .hard, failureReason: .controlAddress, quarantine: .byCounter)
    static let outcomes: [Outcome] = [
        .accepted(providerID: "an id"), .rejected(verdict, reason: "Unregistered"),
        .undecided(verdict, reason: ""), .neverSent(verdict, reason: "(connect failed)"),
        .tooLarge(bytes: 5_000, limit: 4_096),
        .missing(parameter: "firstName"),
    ]

    private func frame(_ builder: inout OutcomesFrameBuilder) throws -> LinkFrame {
        var decoder = FrameDecoder()
        decoder.feed(builder.finish())
        return try #require(try decoder.next())
    }

    @Test func `acceptances are received as runs, in order, whatever outcomes are between them`() throws {
        var builder = OutcomesFrameBuilder()
        for id in 1...3 { builder.accepted(MessageID(rawValue: Int64(id)), grant: 1) }
        builder.append(Self.outcomes[1], message: MessageID(rawValue: 4), attempts: 2, grant: 1)
        builder.accepted(MessageID(rawValue: 5), grant: 1)
        builder.append(.accepted(providerID: nil), message: MessageID(rawValue: 6), attempts: 0, grant: 2)
        #expect(builder.count == 6)
        let outcomes = try OutcomesFrame(try frame(&builder))
        #expect(builder.count == 0)
        #expect(outcomes.count == 6)
        #expect(outcomes.accepted.map(\.grant) == [1, 1, 2])
        #expect(outcomes.accepted.map { $0.messages.map(\.rawValue) } == [[1, 2, 3], [5], [6]])
        #expect(outcomes.others.map(\.message.rawValue) == [4])
        #expect(outcomes.others[0].attempts == 2)
    }

    @Test(arguments: outcomes) func `each message's end is received as it was sent`(outcome: Outcome) throws {
        var builder = OutcomesFrameBuilder()
        builder.append(outcome, message: MessageID(rawValue: 1), attempts: 0, grant: 9)
        let outcomes = try OutcomesFrame(try frame(&builder))
        #expect(outcomes.others.map(\.outcome) == [outcome])
    }

    @Test(arguments: [nil, MonotonicTime(nanoseconds: 1 << 50 + 7)])
    func `a frame contains the time of its first outcome`(since: MonotonicTime?) throws {
        var builder = OutcomesFrameBuilder()
        builder.accepted(MessageID(rawValue: 1), grant: 1)
        var decoder = FrameDecoder()
        decoder.feed(builder.finish(since: since))
        let frame = try OutcomesFrame(try #require(try decoder.next()))
        #expect(frame.since == since && frame.count == 1)
    }

    @Test func `a builder is reset after each frame`() throws {
        var builder = OutcomesFrameBuilder()
        builder.accepted(MessageID(rawValue: 1), grant: 1)
        _ = try frame(&builder)
        builder.accepted(MessageID(rawValue: 2), grant: 1)
        #expect(try OutcomesFrame(try frame(&builder)).accepted.map { $0.messages.map(\.rawValue) } == [[2]])
    }

    @Test func `a truncated frame is refused or yields fewer outcomes, and never crashes the decoder`() throws
    {
        var builder = OutcomesFrameBuilder()
        for id in 1...3 { builder.accepted(MessageID(rawValue: Int64(id)), grant: 1) }
        for outcome in Self.outcomes {
            builder.append(outcome, message: MessageID(rawValue: 7), attempts: 0, grant: 1)
        }
        let whole = try frame(&builder)
        let count = try OutcomesFrame(whole).count
        for length in 0..<whole.bytes.count {
            let cut = LinkFrame(kind: .outcomes, bytes: Array(whole.bytes.prefix(length)))
            if let read = try? OutcomesFrame(cut) { #expect(read.count < count) }
        }
    }
}
