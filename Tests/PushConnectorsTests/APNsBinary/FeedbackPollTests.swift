import GatewayAPNsBinary
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing

@Suite struct FeedbackPollTests {
    private static let tokens = (0..<5_000).map { number in
        let digits = String(number, radix: 16)
        return String(repeating: "e", count: 64 - digits.count) + digits
    }

    private func poll(
        _ feedback: String, credential: VerifiedCredential? = nil, trusted: Bool = true, isGone: Bool = false
    ) throws -> (end: FeedbackEnd, tuples: [FeedbackTuple]) {
        let sink = try BinarySink(feedback: feedback)
        var order = try sink.order()
        if !trusted { order.trustedCertificates = "" }
        if isGone { sink.gateway.stop() }
        var tuples: [FeedbackTuple] = []
        let end = FeedbackPoll.run(
            settings: BinarySink.settings(), credential: try (credential ?? Gateway.certificate()).opaque,
            gateway: order
        ) { tuples += $0 }
        return (end, tuples)
    }

    private func lines(_ tokens: some Sequence<String>) -> String {
        tokens.enumerated().map { "\(1_600_000_000 + $0) \($1)\n" }.joined()
    }

    private func expected(_ count: Int) -> [FeedbackTuple] {
        Self.tokens.prefix(count).enumerated().map {
            FeedbackTuple(time: WallTime(secondsSince1970: 1_600_000_000 + Int64($0)), token: $1)
        }
    }

    @Test func `all tuples from the service are reported, and then that the feedback is complete`() throws {
        let (end, tuples) = try poll(lines(Self.tokens))
        #expect(end == .complete)
        #expect(tuples == expected(5_000))
    }

    @Test func `an empty feedback list is a valid answer`() throws {
        let (end, tuples) = try poll("")
        #expect(end == .complete)
        #expect(tuples.isEmpty)
    }

    @Test
    func `if the connection is cut within a tuple, the complete tuples are kept and the cut is reported`()
        throws
    {
        let (end, tuples) = try poll(lines(Self.tokens.prefix(3)) + "cut 20\n1600000003 \(Self.tokens[3])\n")
        #expect(end == .cut(reason: "the stream ended 20 bytes into a tuple"))
        #expect(tuples == expected(3))
    }

    @Test(arguments: [0, 101, 65_535])
    func `an impossible token length ends the poll, and the earlier tuples are kept`(length: Int) throws {
        let (end, tuples) = try poll(
            lines(Self.tokens.prefix(2)) + "length \(length)\n1600000003 \(Self.tokens[3])\n")
        #expect(end == .absurd(reason: "\(FeedbackError.absurdTokenLength(length))"))
        #expect(tuples == expected(2))
    }

    @Test func `a refused certificate is reported as refused, and a missing service as unreachable`() throws {
        guard case .refused(let reason) = try poll("", credential: try BinarySink.stranger()).end else {
            Issue.record("not refused")
            return
        }
        #expect(reason.hasPrefix("(certificate or configuration)"))
        guard case .refused = try poll("", trusted: false).end else {
            Issue.record("not refused")
            return
        }
        guard case .unreachable(let why) = try poll("", isGone: true).end else {
            Issue.record("not unreachable")
            return
        }
        #expect(why.hasPrefix("(connection lost)"))
    }

    @Test func `polling feedback with a key is refused`() throws {
        guard case .refused(let reason) = try poll("", credential: try Gateway.key()).end else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("requires a certificate"))
    }
}
