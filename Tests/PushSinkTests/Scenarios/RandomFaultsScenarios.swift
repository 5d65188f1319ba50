import Testing
import pushsink

@Suite struct RandomFaultScenarios {
    /// Returns the faults that can occur on a port, including `tls`.
    private static func kinds(_ dialect: RuleDialect) -> Set<String> {
        let http: Set<String> = [
            "goaway", "goaway-graceful", "narrow", "refuse", "drip", "slow", "429", "500", "503", "reset",
            "close",
            "half-open", "tls",
        ]
        let binary: Set<String> = [
            "shutdown", "processing-error", "garbage", "half-packet", "stranger", "reset", "close",
            "half-open", "tls",
        ]
        return dialect == .binary ? binary : http
    }

    private static let arguments = [
        "--random-faults", "42", "--fault-every", "10", "--fault-silence-ms", "30", "--initial-streams",
        "100",
        "--max-streams", "100",
    ]

    /// Exposes a client without any retry strategy to the faults, on one short connection after another.
    private func blow(_ send: (_ round: Int) throws -> Void, until isDone: () throws -> Bool) throws {
        for round in 0..<2000 {
            try send(round)
            if round.isMultiple(of: 10), try isDone() { return }
        }
        Issue.record("not every fault has come to pass")
    }

    @Test func `every fault occurs on APNs, and the counts add up`() throws {
        let sink = try Sink(Self.arguments, rules: "dead status 410 Unregistered")
        let bearer = try sink.bearer()
        var sent = 0, accepted = 0, rejected = 0, gone = 0
        try blow { _ in
            let probe = try Probe(sink)
            for index in 0..<8 {
                probe.push(index == 3 ? "dead" : "ab", authorization: bearer)
                sent += 1
            }
            for event in probe.answers(8).values {
                if case .answer(_, 200, _, _) = event { accepted += 1 }
                if case .answer(_, 410, _, _) = event { gone += 1 }
                if case .answer(_, 201..., _, _) = event { rejected += 1 }
            }
        } until: {
            let summary = try sink.summary { _ in true }
            return Self.kinds(.apns).isSubset(of: summary.faults.map { Set($0.keys) } ?? [])
        }
        let (summary, lines) = try sink.stop()
        // Accepted messages whose answers did not reach the client were cut off with its connection.
        #expect(summary.requests <= sent && summary.accepted >= accepted && summary.rejected >= rejected)
        #expect(summary.rejectedByReason["Unregistered"] ?? 0 >= gone && gone > 0)
        #expect(lines.count { $0["ending"] == "accepted" } == summary.accepted)
        #expect(lines.allSatisfy { $0["token"] != "dead" || $0["ending"] != "accepted" })
        #expect(summary.goAways > 0 && summary.resets > 0 && summary.closes > 0 && summary.silent > 0)
    }

    @Test func `every fault occurs on FCM, and the counts add up`() throws {
        let google = try GoogleSink(Self.arguments)
        let bearer = try google.bearer()
        var accepted = 0
        try blow { _ in
            let probe = try Probe(google.sink, port: google.fcm)
            for _ in 0..<8 {
                probe.post(google.path, authorization: bearer, body: GoogleSink.message("token-of-a-device"))
            }
            for event in probe.answers(8).values {
                if case .answer(_, 200, _, _) = event { accepted += 1 }
            }
        } until: {
            let summary = try google.sink.summary { _ in true }.gateways?["fcm"]
            return Self.kinds(.fcm).isSubset(of: summary?.faults.map { Set($0.keys) } ?? [])
        }
        let (summary, _) = try google.stop()
        #expect(summary.accepted >= accepted && summary.messages == summary.accepted)
    }

    @Test func `every fault occurs on the binary gateway, and the counts add up`() throws {
        let sink = try BinarySinkProbe(Self.arguments, rules: "bad0 invalid-token")
        var packets = 0
        try blow { round in
            let client = try sink.connect()
            // The last frame makes the gateway answer if the random faults have not done so.
            let last = FrameDraft(token: [0xBA, 0xD0] + [UInt8](repeating: 0, count: 30), identifier: 0)
            client.write(
                (1...8).flatMap { FrameDraft(identifier: UInt32(round * 8 + $0)).bytes } + last.bytes)
            let (bytes, end) = client.readAll()
            #expect(end != .late)
            packets += bytes.count == 6 ? 1 : 0
        } until: {
            let summary = try sink.sink.summary { _ in true }.gateways?["binary"]
            return Self.kinds(.binary).isSubset(of: summary?.faults.map { Set($0.keys) } ?? [])
        }
        let (summary, _, lines) = try sink.stop()
        #expect(packets > 0 && summary.goAways > 0)
        #expect(lines.count { $0["ending"] == "accepted" } == summary.accepted)
        #expect(lines.allSatisfy { !$0["token"].hasPrefix("bad0") || $0["reason"] == "8 invalid token" })
        #expect(lines.count { $0["status"] == "10" } == summary.goAways)
    }

    @Test func `the same seed produces the same random faults`() throws {
        func faults() throws -> [String] {
            let sink = try BinarySinkProbe(
                ["--random-faults", "9", "--fault-every", "5", "--fault-kinds", "close,reset"])
            var ends: [String] = []
            for _ in 0..<12 {
                let client = try sink.connect()
                client.write((1...20).flatMap { FrameDraft(identifier: $0).bytes })
                ends.append("\(client.readAll().end)")
            }
            let (summary, _, lines) = try sink.stop()
            #expect(summary.faults?.values.reduce(0, +) == 12)
            return ends + lines.map { "\($0["connection"]) \($0["stream"]) \($0["ending"])" }
        }
        #expect(try faults() == faults())
    }

    @Test(arguments: [
        (["--fault-kinds", "close"], "need --random-faults"),
        (["--random-faults", "1", "--fault-kinds", "hail"], "no 'hail'"),
        (["--random-faults", "1", "--fault-every", "0"], "from 1"), (["--break-handshakes", "0"], "from 1"),
    ])
    func `impossible random faults are refused with an explanation`(arguments: [String], problem: String)
        throws
    {
        let result = try SinkProgram.run(["run"] + arguments)
        #expect(result.status == 2 && result.errors.contains(problem), "\(result.errors)")
    }
}
