import Testing
import pushsink

@Suite struct FaultScenarios {
    @Test func `a half-open connection answers no request and no PING, and closes after its time`() throws {
        let sink = try Sink(["--initial-streams", "10"], rules: "aa half-open 400\n* delay 300")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.greet()
        probe.ping()
        #expect(probe.next() == .pong)
        // This request is waiting for its answer when the silence begins.
        probe.push("bb", authorization: bearer)
        probe.push("aa", authorization: bearer)
        _ = try sink.summary { $0.silent == 1 || probe.next(within: 1) != nil }
        probe.ping()
        probe.push("cc", authorization: bearer)
        let events = probe.all(within: 5000)
        #expect(events.last == .ended("closed"))
        #expect(
            events.allSatisfy {
                if case .ended = $0 { true } else if case .reset = $0 { true } else { false }
            })
        let (summary, _) = try sink.stop()
        #expect(summary.silent == 2 && summary.accepted == 0 && summary.requests == 2)
    }

    @Test func `the number of streams is low for some requests and then high again`() throws {
        let sink = try Sink(
            ["--initial-streams", "9", "--max-streams", "9"], rules: "aa max-streams 1 for 2 times 1")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        var settings: [Probe.Event] = []
        func note(until isEnough: (Probe.Event) -> Bool) {
            while let event = probe.next() {
                if case .settings = event { settings.append(event) }
                if isEnough(event) { return }
            }
        }
        for token in ["aa", "bb", "bb"] {
            probe.push(token, authorization: bearer)
            note { if case .answer = $0 { true } else { false } }
        }
        if settings.count < 3 { note { $0 == .settings(streams: 9) } }
        #expect(settings == [.settings(streams: 9), .settings(streams: 1), .settings(streams: 9)])
        _ = try sink.stop()
    }

    @Test func `an answer that is sent slowly takes its time and is complete`() throws {
        let sink = try Sink(["--initial-streams", "10"], rules: "aa status 400 BadTopic drip 60")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.greet()
        let start = Instant.now
        probe.push("aa", authorization: bearer)
        probe.push("bb", authorization: bearer)
        #expect(probe.answers(2).count == 2)
        #expect(Instant.now.since(start) >= .milliseconds(60))
        let (summary, _) = try sink.stop()
        #expect(summary.accepted == 1 && summary.rejectedByReason == ["BadTopic": 1])
    }

    @Test func `an APNs error can contain a retry time and still has its id`() throws {
        let sink = try Sink(rules: "* status 503 ServiceUnavailable retry-after 7 after 1 times 2")
        let id = "6ba7b810-9dad-81d1-80b4-00c04fd430c8"
        func push() throws -> Curl.Answer {
            try Curl.get(
                "https://localhost:\(sink.port)/3/device/\(Draft.token)",
                [
                    "--http2", "-H", "authorization: \(sink.bearer())", "-H", "apns-push-type: alert", "-H",
                    "apns-topic: \(CertificateSet.Account.defaultBundleID)", "-H", "apns-id: \(id)", "-D",
                    "-",
                    "--data-binary", #"{"aps":{}}"#,
                ], trusting: sink)
        }
        // The rule's burst consists of the second and the third request.
        #expect(try push().status == 200)
        for _ in 0..<2 {
            let answer = try push()
            #expect(answer.status == 503 && answer.retryAfter == "7")
            #expect(answer.body.contains("apns-id: \(id)") && answer.body.contains("ServiceUnavailable"))
        }
        #expect(try push().status == 200)
        _ = try sink.stop()
    }

    @Test func `requests that exceed the quota per minute receive 429`() throws {
        let sink = try Sink(["--initial-streams", "10", "--quota-per-minute", "3"])
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.greet()
        for _ in 0..<5 { probe.push(authorization: bearer) }
        #expect(probe.answers(5).count == 5)
        let (summary, _) = try sink.stop()
        #expect(summary.accepted == 3 && summary.rejectedByReason == ["TooManyRequests": 2])
    }

    @Test func `handshakes are aborted as configured, on each port`() throws {
        let sink = try BinarySinkProbe(["--break-handshakes", "2"])
        for number in 1...4 {
            let probe = try Probe(sink.sink)
            probe.push(authorization: try sink.sink.bearer())
            #expect(number.isMultiple(of: 2) ? probe.end() == "reset" : probe.answer() == "200")
            let client = try sink.connect()
            let end = client.write(FrameDraft().bytes)
            #expect(number.isMultiple(of: 2) ? end == .reset : end == nil)
        }
        let seen = try sink.sink.summary { $0.gateways?["binary"]?.accepted == 2 }
        for summary in [seen, seen.gateways?["binary"]] {
            #expect(
                summary?.handshakesFailed == ["broken off by the sink": 2] && summary?.faults == ["tls": 2])
        }
        _ = try sink.stop()
    }
}
