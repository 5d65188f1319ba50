import Testing
import pushsink

@Suite struct BinaryScenarios {
    private static func frame(_ number: Int, first: UInt8 = 0xAB) -> FrameDraft {
        FrameDraft(token: FrameDraft.token(number, first: first), identifier: UInt32(number))
    }

    @Test func `all three commands are accepted without an answer`() throws {
        let sink = try BinarySinkProbe()
        let client = try sink.connect()
        client.write(
            (0..<3).flatMap { command in Self.frame(command).with { $0.command = UInt8(command) }.bytes })
        let seen = try sink.sink.summary { $0.gateways?["binary"]?.accepted == 3 }
        #expect(client.readAll(within: 50).end == .late)
        #expect(seen.gateways?["binary"]?.distinctTokens == 3)
        let (summary, _, lines) = try sink.stop()
        #expect(summary.accepted == 3 && summary.distinctMessages == 3 && summary.incomplete == 0)
        #expect(lines.map { $0["command"] } == ["0", "1", "2"])
        #expect(lines.map { $0["identifier"] } == ["-", "1", "2"])
        #expect(lines.map { $0["expiration"] } == ["-", "1795000000", "1795000000"])
        #expect(lines.map { $0["priority"] } == ["-", "-", "10"])
        #expect(lines.map { $0["stream"] } == ["1", "2", "3"])
        #expect(lines.allSatisfy { $0["ending"] == "accepted" && $0["status"] == "0" && $0["reason"] == "-" })
        #expect(lines[2]["token"] == FrameDraft.hex(FrameDraft.token(2)) && lines[2]["api"] == "binary")
        #expect(lines[2]["body"] == #"{"aps":{"alert":"x"},"_mId":"1"}"#)
    }

    @Test
    func `notifications after a bad one are discarded, and the error packet names the bad notification`()
        throws
    {
        let sink = try BinarySinkProbe(rules: "bad0 invalid-token")
        let client = try sink.connect()
        let bad = Self.frame(5).with { $0.token = [0xBA, 0xD0] + [UInt8](repeating: 0, count: 30) }
        client.write(
            (1...4).flatMap { Self.frame($0).bytes } + bad.bytes + (6...9).flatMap { Self.frame($0).bytes })
        let (bytes, end) = client.readAll()
        #expect(bytes == [8, 8, 0, 0, 0, 5] && end == .closed)
        let (summary, _, lines) = try sink.stop()
        #expect(summary.requests == 5 && summary.accepted == 4)
        #expect(summary.rejectedByReason == ["8 invalid token": 1])
        #expect(
            lines.last.map { [$0["ending"], $0["status"], $0["reason"]] } == [
                "rejected", "8", "8 invalid token",
            ])
    }

    @Test func `the error packet arrives even if many frames follow the bad notification`() throws {
        let sink = try BinarySinkProbe(rules: "bad0 invalid-token delay 50")
        let client = try sink.connect()
        let bad = Self.frame(1).with { $0.token = [0xBA, 0xD0] + [UInt8](repeating: 0, count: 30) }
        let flood = (2...5000).flatMap { Self.frame($0).bytes }
        client.write(bad.bytes)
        client.write(flood)
        let (bytes, end) = client.readAll()
        #expect(bytes == [8, 8, 0, 0, 0, 1] && end == .closed)
        #expect(try sink.stop().gateway.requests == 1)
    }

    @Test(
        arguments: [
            ("status 1", [8, 1, 0, 0, 0, 9], "rejected", 0),
            ("status 255", [8, 255, 0, 0, 0, 9], "rejected", 0),
            ("invalid-token", [8, 8, 0, 0, 0, 9], "rejected", 0),
            ("shutdown", [8, 10, 0, 0, 0, 9], "accepted", 1),
            ("close", [], "cut", 0), ("half-open 50", [], "silent", 0), ("silent 50", [], "silent", 0),
            ("half-packet", [8, 8, 0], "cut", 0), ("stranger", [8, 8, 255, 255, 255, 254], "cut", 0),
            ("garbage", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "cut", 0),
        ] as [(String, [UInt8], String, Int)])
    func `each action sends its packet and then closes the connection in order`(
        action: String, packet: [UInt8], ending: String, taken: Int
    ) throws {
        let sink = try BinarySinkProbe(rules: "ee \(action)")
        let client = try sink.connect()
        client.write(Self.frame(8).bytes + Self.frame(9, first: 0xEE).bytes + Self.frame(10).bytes)
        let (bytes, end) = client.readAll()
        #expect(bytes == packet && end == .closed)
        let (summary, _, lines) = try sink.stop()
        #expect(summary.requests == 2 && summary.accepted == 1 + taken)
        #expect(lines.map { $0["ending"] } == ["accepted", ending])
    }

    @Test func `a reset action resets the connection, and half-open lasts until the client closes`() throws {
        let sink = try BinarySinkProbe(rules: "ee reset\nef half-open")
        let client = try sink.connect()
        client.write(Self.frame(1, first: 0xEE).bytes)
        #expect(client.readAll().end == .reset)
        let other = try sink.connect()
        other.write(Self.frame(1).bytes + Self.frame(2, first: 0xEF).bytes)
        other.write(Self.frame(3).bytes)
        #expect(other.readAll(within: 50) == ([], .late))
        let (summary, _, _) = try sink.stop()
        #expect(summary.resets == 1 && summary.cut == 1 && summary.silent == 1 && summary.accepted == 1)
    }

    @Test(
        arguments: [
            (FrameDraft().with { $0.token = nil }, 2), (FrameDraft().with { $0.payload = nil }, 4),
            (FrameDraft().with { $0.token = [] }, 5), (FrameDraft().with { $0.token?.removeLast() }, 5),
            (FrameDraft().with { $0.token = Array(repeating: 1, count: 101) }, 5),
            (FrameDraft().with { $0.payload = [] }, 7),
            (FrameDraft().with { $0.payload = Array(repeating: 0x20, count: 2049) }, 7),
            (FrameDraft().with { $0.payload = Array(#"{"aps":"x"}"#.utf8) }, 4),
            (FrameDraft().with { $0.payload = Array("[1]".utf8) }, 4),
            (FrameDraft().with { $0.payload = Array("{\"aps\":{}}\0".utf8) }, 128),
            (FrameDraft().with { $0.payload = Array("{\"aps\":{".utf8) }, 128),
            (FrameDraft().with { $0.priority = 7 }, 128),
            (
                FrameDraft().with {
                    $0.command = 1
                    $0.token = [1]
                }, 5
            ),
            (
                FrameDraft().with {
                    $0.command = 1
                    $0.payload = []
                }, 7
            ),
        ] as [(FrameDraft, UInt8)])
    func `the answer to a faulty notification contains the code for its fault`(draft: FrameDraft, code: UInt8)
        throws
    {
        let sink = try BinarySinkProbe()
        let client = try sink.connect()
        client.write(draft.bytes)
        #expect(client.readAll() == ([8, code, 0, 0, 0, 7], .closed))
        let (summary, _, _) = try sink.stop()
        #expect(summary.rejected == 1 && summary.accepted == 0)
    }

    @Test func `an unknown command is a protocol error`() throws {
        let sink = try BinarySinkProbe()
        let client = try sink.connect()
        client.write(Self.frame(1).bytes + [3])
        #expect(client.readAll() == ([8, 128, 0, 0, 0, 0], .closed))
        #expect(try sink.stop().gateway.accepted == 1)
    }

    @Test func `a notification that is cut off because the client closes counts as incomplete`() throws {
        let sink = try BinarySinkProbe()
        var client: ByteClient? = try sink.connect()
        client?.write(Self.frame(1).bytes + Self.frame(2).bytes.dropLast())
        _ = try sink.sink.summary { $0.gateways?["binary"]?.accepted == 1 }
        client = nil
        _ = try sink.sink.summary { $0.gateways?["binary"]?.incomplete == 1 }
        #expect(try sink.stop().gateway.requests == 1)
    }

    @Test func `a client without a certificate from the authority is refused`() throws {
        let sink = try BinarySinkProbe()
        for identity in [nil, CertificateSet.Name.stranger, CertificateSet.Name.expired] {
            let client = try sink.connect(identity: identity)
            client.write(Self.frame(1).bytes)
            #expect([.broken, .reset].contains(client.readAll().end))
        }
        let (summary, _, _) = try sink.stop()
        #expect(summary.requests == 0 && summary.handshakesFailed.values.reduce(0, +) == 3)
    }

    @Test func `a repeated message counts as another request and not as a new message`() throws {
        let sink = try BinarySinkProbe(rules: "* shutdown times 1 every 3")
        for numbers in [1...4, 4...6] {
            let client = try sink.connect()
            client.write(numbers.flatMap { Self.frame($0).bytes })
            if numbers.lowerBound == 1 { #expect(client.readAll() == ([8, 10, 0, 0, 0, 3], .closed)) }
            _ = try sink.sink.summary {
                $0.gateways?["binary"]?.accepted ?? 0 >= (numbers.lowerBound == 1 ? 3 : 6)
            }
        }
        let again = try sink.connect()
        again.write(Self.frame(6).bytes)
        _ = try sink.sink.summary { $0.gateways?["binary"]?.accepted == 7 }
        let (summary, _, _) = try sink.stop()
        #expect(summary.distinctTokens == 6 && summary.distinctMessages == 6 && summary.goAways == 1)
    }
}
