import Testing
import pushsink

@Suite struct FeedbackScenarios {
    private static let one = FrameDraft.token(1), two = FrameDraft.token(2)

    private static func tuple(_ seconds: UInt32, _ token: [UInt8]) -> [UInt8] {
        FrameDraft.big(seconds) + FrameDraft.big(UInt16(token.count)) + token
    }

    private static func line(_ seconds: Int, _ token: [UInt8]) -> String {
        "\(seconds) \(FrameDraft.hex(token))\n"
    }

    @Test func `the feedback list is sent once, and is sent again when it changes`() throws {
        let sink = try BinarySinkProbe(list: Self.line(100, Self.one) + "# who\n" + Self.line(200, Self.two))
        #expect(try sink.askForFeedback() == (Self.tuple(100, Self.one) + Self.tuple(200, Self.two), .closed))
        #expect(try sink.askForFeedback() == ([], .closed))
        try sink.replaceList(Self.line(300, Self.one))
        #expect(try sink.askForFeedback() == (Self.tuple(300, Self.one), .closed))
        let (_, feedback, _) = try sink.stop()
        #expect(feedback.connections == 3 && feedback.tuplesTold == 3)
    }

    @Test func `a missing list counts as empty, and a list that becomes invalid sends nothing`() throws {
        let sink = try BinarySinkProbe()
        #expect(try sink.askForFeedback() == ([], .closed))
        try sink.replaceList("soon ab\n")
        #expect(try sink.askForFeedback() == ([], .closed))
        _ = try sink.stop()
    }

    @Test func `tuples can be truncated and can contain a false length`() throws {
        let sink = try BinarySinkProbe(
            list: Self.line(1, Self.one) + "length 40000\n" + Self.line(2, Self.two) + "cut 5\n"
                + Self.line(3, Self.one) + Self.line(4, Self.two))
        let lie = FrameDraft.big(UInt32(2)) + FrameDraft.big(UInt16(40000)) + Self.two
        let cut = Self.tuple(3, Self.one).prefix(5)
        #expect(try sink.askForFeedback() == (Self.tuple(1, Self.one) + lie + cut, .closed))
        #expect(try sink.stop().feedback.tuplesTold == 1)
    }

    @Test func `a long list arrives complete`() throws {
        let tokens = (0..<20_000).map { FrameDraft.token($0) }
        let sink = try BinarySinkProbe(list: tokens.map { Self.line(7, $0) }.joined())
        let (bytes, end) = try sink.askForFeedback()
        #expect(bytes == tokens.flatMap { Self.tuple(7, $0) } && end == .closed)
        _ = try sink.stop()
    }

    @Test(arguments: [
        ("x ab", "not a time"), ("1 abc", "not a token"), ("1", "a line must be"),
        ("cut x", "needs a number"),
        ("length 70000", "needs a number"), ("1 zz", "not a token"),
    ])
    func `a wrong list is refused with the number of the wrong line`(line: String, problem: String) throws {
        let error = #expect(throws: SinkError.self) { try FeedbackList.batch("# a\n\(line)\n", file: "f") }
        let text = try #require(error).description
        #expect(text.hasPrefix("f:2: ") && text.contains(problem), "\(text)")
    }
}
