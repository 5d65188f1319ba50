import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct `A grant on the link` {
    private func frame(_ tokens: [String]) throws -> LinkFrame {
        var builder = GrantFrameBuilder(grant: 5, job: 6, expectedMessages: tokens.count)
        for (index, token) in tokens.enumerated() {
            builder.append(
                MessageID(rawValue: Int64(index) + 1_000_000_000_000),
                id: OpaqueID(high: .max, low: UInt64(index)),
                integerID: Int64(index) + 1, attempts: index, token: Array(token.utf8).span,
                parameters: Array("p\(index)".utf8).span)
        }
        var decoder = FrameDecoder()
        decoder.feed(builder.finish())
        return try #require(try decoder.next())
    }

    @Test func `each message in a grant is received with all bytes in place`() throws {
        let tokens = ["ab", "", String(repeating: "f", count: 200)]
        let grant = try GrantFrame(try frame(tokens))
        #expect(grant.grant == 5)
        #expect(grant.job == 6)
        #expect(grant.count == 3)
        var offset = GrantFrame.firstEntry
        for (index, token) in tokens.enumerated() {
            let entry = grant.entry(at: offset)
            #expect(entry.message.rawValue == Int64(index) + 1_000_000_000_000)
            #expect(entry.id == OpaqueID(high: .max, low: UInt64(index)))
            #expect(entry.integerID == Int64(index) + 1)
            #expect(entry.attempts == UInt8(index))
            #expect(String(decoding: grant.bytes[entry.token], as: UTF8.self) == token)
            #expect(String(decoding: grant.bytes[entry.parameters], as: UTF8.self) == "p\(index)")
            offset = entry.next
        }
        #expect(offset == grant.bytes.count)
    }

    @Test func `a grant that is truncated anywhere, or has extra bytes, is refused`() throws {
        let whole = try frame(["abcd", "ef"])
        for length in 0..<whole.bytes.count {
            #expect(throws: LinkError.self) {
                try GrantFrame(LinkFrame(kind: .grant, bytes: Array(whole.bytes.prefix(length))))
            }
        }
        #expect(throws: LinkError.self) { try GrantFrame(LinkFrame(kind: .grant, bytes: whole.bytes + [0])) }
    }

    @Test func `an impossibly long token is truncated in a grant, which stays readable`() throws {
        let grant = try GrantFrame(try frame([String(repeating: "a", count: 70_000), "bb"]))
        let first = grant.entry(at: GrantFrame.firstEntry)
        #expect(first.token.count == 65_535)
        #expect(String(decoding: grant.bytes[grant.entry(at: first.next).token], as: UTF8.self) == "bb")
    }
}
