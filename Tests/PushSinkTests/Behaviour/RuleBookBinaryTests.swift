import Testing
import pushsink

@Suite struct RuleBookBinaryTests {
    private func acts(_ text: String, to tokens: [String]) throws -> [SinkAnswer.Action?] {
        var book = try RuleBook(text: text, file: "rules", for: .binary)
        return tokens.map { token in
            token.asBytes {
                let request = SinkRequest(device: $0, connection: 1, stream: 1, api: .binary)
                return book.answer(request, at: Instant(nanoseconds: 1))
            }?.act
        }
    }

    @Test func `every keyword of the binary gateway is understood`() throws {
        let table: [(String, SinkAnswer.Action)] = [
            ("accept", .accept), ("close", .close), ("reset", .reset), ("half-open", .halfOpen(nil)),
            ("silent 20", .halfOpen(.milliseconds(20))), ("garbage", .blurt(.garbage)),
            ("half-packet", .blurt(.halfPacket)), ("stranger", .blurt(.stranger)),
            ("shutdown", .goAway(reason: "Shutdown")),
            ("invalid-token", .reject(BinaryStatus.invalidToken.rejection)),
            ("status 255", .reject(BinaryStatus(255).rejection)),
        ]
        for (text, act) in table { #expect(try acts("* " + text, to: ["ab"]) == [act], "\(text)") }
    }

    @Test func `a rule that exempts repeated messages ends a loop`() throws {
        let shutdown = SinkAnswer.Action.goAway(reason: "Shutdown")
        #expect(
            try acts("AB shutdown each 1", to: ["ab", "ab", "abcd", "ab"]) == [shutdown, nil, shutdown, nil])
    }

    @Test(arguments: [
        ("* status 10", "use 'shutdown'"), ("* status 256", "needs a number from 0 to 255"),
        ("* status 410 Unregistered", "needs a number from 0 to 255"), ("* goaway Shutdown", "unknown word"),
        ("* close shutdown", "only one action"),
    ])
    func `keywords that do not apply to the port are refused`(line: String, problem: String) throws {
        let error = #expect(throws: SinkError.self) { try RuleBook(text: line, file: "f", for: .binary) }
        #expect(try #require(error).description.contains(problem))
    }
}
