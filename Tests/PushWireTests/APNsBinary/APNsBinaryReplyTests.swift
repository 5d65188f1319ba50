import GatewayAPNsBinary
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct APNsBinaryReplyTests {
    private func decoded(_ pieces: [ArraySlice<UInt8>]) -> APNsBinaryReplyDecoder.DecodedReply {
        var decoder = APNsBinaryReplyDecoder()
        for piece in pieces { decoder.feed(piece) }
        return decoder.decoded
    }

    @Test func `a packet is decoded wherever its bytes are split, and a truncated packet is incomplete`() {
        let packet: [UInt8] = [8, 7, 0xFE, 0xDC, 0xBA, 0x98]
        let whole = APNsBinaryReplyDecoder.DecodedReply.reply(
            APNsBinaryReply(status: 7, identifier: 0xFEDC_BA98))
        #expect(decoded([]) == .nothing)
        for split in 0...packet.count { #expect(decoded([packet[..<split], packet[split...]]) == whole) }
        #expect(decoded(packet.indices.map { packet[$0...$0] }) == whole)
        for length in 1..<packet.count { #expect(decoded([packet.prefix(length)]) == .part(bytes: length)) }
    }

    @Test func `bytes after a packet are ignored`() {
        let packet: [UInt8] = [8, 8, 0, 0, 0, 1]
        let expected = APNsBinaryReplyDecoder.DecodedReply.reply(APNsBinaryReply(status: 8, identifier: 1))
        #expect(decoded([packet + [8, 1, 0, 0, 0, 2]]) == expected)
        #expect(decoded([ArraySlice(packet), [0, 255]]) == expected)
    }

    @Test func `bytes that begin differently are garbage, whatever their length`() {
        for command in UInt8.min...UInt8.max where command != APNsBinaryReply.command {
            #expect(decoded([[command]]) == .garbage(bytes: 1))
            #expect(decoded([[command, 8, 0, 0, 0, 1], [2, 3]]) == .garbage(bytes: 8))
        }
    }

    @Test func `any bytes give one of the four results, and the same result if they arrive in pieces`() {
        var dice = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 0...20, using: &dice)).map { _ in
                UInt8.random(in: 0...255, using: &dice)
            }
            if !bytes.isEmpty, Bool.random(using: &dice) { bytes[0] = 8 }
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &dice)
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(decoded(pieces) == decoded([bytes[...]]))
        }
    }

    @Test
    func `a status refuses the named message, shutdown confirms that it was sent, and zero has no meaning`() {
        func meaning(_ status: UInt8) -> APNsBinaryReply.Meaning {
            APNsBinaryReply(status: status, identifier: 1).meaning
        }
        #expect(meaning(0) == .nothing)
        #expect(meaning(10) == .shutdown(reason: "10 shutdown"))
        #expect(meaning(8) == .refused(APNsBinaryReasons.invalidToken.verdict, reason: "8 invalid token"))
        for status in [9, 11, 127, 129, 254] as [UInt8] {
            #expect(
                meaning(status) == .refused(APNsBinaryReasons.unknown.verdict, reason: "\(status) unknown"))
        }
        for status in UInt8.min...UInt8.max where status != 0 && status != 10 {
            guard case .refused(_, let reason) = meaning(status) else {
                Issue.record("status \(status)")
                continue
            }
            #expect(reason.hasPrefix("\(status) "))
        }
    }

    @Test func `an event without a packet is judged by its row in the table, with any further detail`() {
        let closed = APNsBinaryReply.judge(.closedWithoutPacket)
        #expect(closed == (APNsBinaryReasons.closedWithoutPacket.verdict, "(closed without error packet)"))
        let (verdict, reason) = APNsBinaryReply.judge(.connectionLost, detail: "silent")
        #expect(verdict == APNsBinaryReasons.connectionLost.verdict)
        #expect(reason == "(connection lost) silent")
        #expect(APNsBinaryReply.judge(.certificate).verdict.schedule == .hold)
        guard case .rejected(let token, _) = APNsBinaryReply.unsendableToken() else {
            Issue.record("not rejected")
            return
        }
        #expect(token.failureType == .hard && token.failureReason == .userUnknown)
        #expect(token.scope == .transient && token.quarantine == .no, "the gateway was not asked")
    }
}
