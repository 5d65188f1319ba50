import Testing
import pushsink

@Suite struct AcceptingScenarios {
    @Test func `an accepted push is echoed, logged and counted`() throws {
        let sink = try Sink()
        let probe = try Probe(sink)
        let id = "6ba7b810-9dad-81d1-80b4-00c04fd430c8"
        let stream = probe.push(
            "ab12", [("apns-id", id), ("apns-expiration", "0")], authorization: try sink.bearer(),
            body: "{\"aps\":{\"alert\":\"a\\tb\"},\n\"_mId\":\"1\"}")
        #expect(probe.answers(1)[stream] == .answer(stream: stream, status: 200, id: id, body: ""))

        let (summary, lines) = try sink.stop()
        #expect(summary.accepted == 1 && summary.distinctTokens == 1 && summary.distinctApnsIDs == 1)
        #expect(lines[0]["ending"] == "accepted" && lines[0]["status"] == "200" && lines[0]["reason"] == "-")
        #expect(lines[0]["token"] == "ab12" && lines[0]["apns_id"] == id && lines[0]["expiration"] == "0")
        #expect(lines[0]["topic"] == CertificateSet.Account.defaultBundleID && lines[0]["collapse_id"] == "-")
        #expect(lines[0]["body"] == "{\"aps\":{\"alert\":\"a\\tb\"}, \"_mId\":\"1\"}")
        #expect(lines[0]["connection"] == "1" && lines[0]["stream"] == "1")
    }

    @Test func `a push without an id receives a new id each time`() throws {
        let sink = try Sink()
        let probe = try Probe(sink)
        probe.greet()
        let bearer = try sink.bearer()
        for _ in 0..<3 { probe.push(authorization: bearer) }
        let ids = probe.answers(3).values.map { event in
            if case .answer(_, 200, let id, "") = event { id } else { "" }
        }
        #expect(Set(ids).count == 3 && ids.allSatisfy { $0.asBytes { Hex.uuid($0) } != nil })
        let (summary, _) = try sink.stop()
        #expect(summary.accepted == 3 && summary.distinctTokens == 1 && summary.distinctApnsIDs == 0)
    }

    @Test func `a token-based connection has one stream until its first success`() throws {
        let sink = try Sink(["--max-streams", "100"])
        let probe = try Probe(sink)
        probe.push("zz", authorization: try sink.bearer())
        #expect(probe.next() == .settings(streams: 1))
        #expect(probe.answer() == #"400 {"reason":"BadDeviceToken"}"#)
        probe.push(authorization: try sink.bearer(age: -1))
        // Another token on the same connection is sent too early. This is not a success either.
        #expect(probe.answer() == #"429 {"reason":"TooManyProviderTokenUpdates"}"#)
        probe.push(authorization: try sink.bearer(age: -1))
        #expect(probe.answer() == #"429 {"reason":"TooManyProviderTokenUpdates"}"#)
        _ = try sink.stop()
    }

    @Test func `the first success allows more streams on the connection`() throws {
        let sink = try Sink(["--max-streams", "100"])
        let probe = try Probe(sink)
        let stream = probe.push(authorization: try sink.bearer())
        var events: [Probe.Event] = []
        while events.count < 3, let event = probe.next() { events.append(event) }
        #expect(events.first == .settings(streams: 1))
        #expect(events.contains(.settings(streams: 100)))
        #expect(events.contains { if case .answer(stream, 200, _, _) = $0 { true } else { false } })
        let (summary, _) = try sink.stop()
        #expect(summary.settingsSent == 1)
    }

    @Test func `with a certificate, a connection needs no token and has all streams from the start`() throws {
        let sink = try Sink(["--max-streams", "100", "--require-client-certificate"])
        let probe = try Probe(sink, identity: CertificateSet.Name.client)
        probe.push(body: #"{"aps":{}}"#)
        probe.push(Draft.token, [("apns-topic", nil)])
        probe.push(Draft.token, [("apns-topic", "com.example.other")])
        #expect(probe.next() == .settings(streams: 100))
        #expect([probe.answer(), probe.answer()] == ["200", "200"])
        #expect(probe.answer() == #"400 {"reason":"TopicDisallowed"}"#)
        _ = try sink.stop()
    }

    @Test func `thousands of pushes on many connections all arrive, each once`() throws {
        let sink = try Sink(["--initial-streams", "200", "--max-streams", "200"])
        let bearer = try sink.bearer()
        let probes = try (0..<20).map { _ in try Probe(sink) }
        probes.forEach { $0.greet() }
        for (index, probe) in probes.enumerated() {
            for number in 0..<250 {
                let digits = String(1_000_000 + index * 1000 + number)
                let id = "6ba7b810-9dad-81d1-80b4-00c040" + digits.dropFirst()
                probe.push("00" + digits.dropFirst(), [("apns-id", id)], authorization: bearer)
            }
        }
        for probe in probes { #expect(probe.answers(250).count == 250) }
        let (summary, lines) = try sink.stop()
        #expect(summary.accepted == 5000)
        #expect(summary.distinctTokens == 5000 && summary.distinctApnsIDs == 5000)
        #expect(summary.connections == 20 && summary.parallelStreamsPerConnection <= 200)
        #expect(Set(lines.map { $0["token"] }).count == 5000)
    }

    @Test func `a slowly reading client receives every answer`() throws {
        let sink = try Sink(["--initial-streams", "1000"])
        let bearer = try sink.bearer()
        let probe = try Probe(sink, narrow: true)
        probe.greet()
        for _ in 0..<3000 { probe.push(authorization: bearer) }
        #expect(probe.answers(3000).count == 3000)
        let (summary, _) = try sink.stop()
        #expect(summary.accepted == 3000)
    }
}
