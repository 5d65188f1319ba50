import Foundation
import Testing
import pushsink

@Suite struct ScriptedScenarios {
    @Test func `the answer for a dead token has a timestamp in milliseconds`() throws {
        let sink = try Sink(rules: "dead status 410 Unregistered\nfade status 410 ExpiredToken timestamp 5")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.push("fade", authorization: bearer)
        #expect(probe.answer() == #"410 {"reason":"ExpiredToken","timestamp":5}"#)
        probe.push("dead", authorization: bearer)
        let answer = probe.answer()
        let match = try #require(answer.firstMatch(of: /^410 {"reason":"Unregistered","timestamp":(\d+)}$/))
        let timestamp = try #require(Double(match.1))
        #expect(abs(timestamp / 1000 - Date().timeIntervalSince1970) < 60)
        probe.push("beef", authorization: bearer)
        #expect(probe.answer() == "200")
        _ = try sink.stop()
    }

    @Test func `silence keeps the stream open, and refusal resets it`() throws {
        let sink = try Sink(["--initial-streams", "10"], rules: "aa silent\nbb refuse")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.push("aa", authorization: bearer)
        let refused = probe.push("bb", authorization: bearer)
        let accepted = probe.push("cc", authorization: bearer)
        let answers = probe.answers(2)
        #expect(answers[refused] == .reset(stream: refused, code: 7))
        #expect(answers.keys.contains(accepted))
        let (summary, lines) = try sink.stop()
        #expect(summary.silent == 1 && summary.refused == 1 && summary.accepted == 1)
        #expect(Set(lines.map { $0["ending"] }) == ["silent", "refused", "accepted"])
    }

    @Test func `an abrupt GOAWAY frame leaves later streams unprocessed`() throws {
        // All requests wait at the same time. The first answer leads to the GOAWAY.
        let sink = try Sink(["--initial-streams", "100"], rules: "aa goaway Shutdown delay 300\n* delay 600")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        probe.push("aa", authorization: bearer)
        for _ in 1..<10 { probe.push("bb", authorization: bearer) }
        var last: Int32 = 0
        var accepted: Set<Int32> = [], lost: Set<Int32> = []
        events: while let event = probe.next() {
            switch event {
            case .goAway(let stream, let code, let debug):
                last = stream
                #expect(code == 0 && debug == #"{"reason":"Shutdown"}"#)
            case .answer(let stream, 200, _, _): accepted.insert(stream)
            case .reset(let stream, _): lost.insert(stream)
            case .ended(let how):
                #expect(how == "closed")
                break events
            default: break
            }
        }
        #expect(last == 9)
        #expect(accepted == [1, 3, 5, 7, 9])
        #expect(lost == [11, 13, 15, 17, 19])
        let (summary, _) = try sink.stop()
        #expect(summary.goAways == 1 && summary.accepted == 5 && summary.unprocessed == 5)
    }

    @Test func `a graceful GOAWAY frame is first announced and then final`() throws {
        let rules = "aa silent\n* goaway graceful IdleTimeout times 1"
        let sink = try Sink(["--initial-streams", "100"], rules: rules)
        let probe = try Probe(sink)
        // A stream that stays open: nghttp2's client stops reading once its last stream is done.
        let bearer = try sink.bearer()
        probe.push("aa", authorization: bearer)
        let stream = probe.push("bb", authorization: bearer)
        var farewells: [Probe.Event] = []
        var answered = false
        while farewells.count < 2 || !answered, let event = probe.next() {
            if case .goAway = event { farewells.append(event) }
            if case .answer(stream, 200, _, _) = event { answered = true }
        }
        #expect(
            farewells == [
                .goAway(last: .max, code: 0, debug: ""),
                .goAway(last: stream, code: 0, debug: #"{"reason":"IdleTimeout"}"#),
            ])
        let (summary, _) = try sink.stop()
        #expect(summary.goAways == 1 && summary.accepted == 1 && summary.silent == 1)
    }

    @Test func `a graceful GOAWAY frame closes a connection without open streams`() throws {
        let sink = try Sink(rules: "* goaway graceful")
        let probe = try Probe(sink)
        probe.push(authorization: try sink.bearer())
        #expect(probe.answer() == "200")
        #expect(probe.end() == "closed")
        _ = try sink.stop()
    }

    @Test func `a reset action resets the connection, and a close action closes it`() throws {
        let sink = try Sink(["--initial-streams", "10"], rules: "aa reset\nbb close")
        let bearer = try sink.bearer()
        for (token, ending) in [("aa", "reset"), ("bb", "closed")] {
            let probe = try Probe(sink)
            probe.push("cc", authorization: bearer)
            #expect(probe.answer() == "200")
            probe.push(token, authorization: bearer)
            probe.push("cc", authorization: bearer)
            #expect(probe.end() == ending)
        }
        let (summary, _) = try sink.stop()
        #expect(summary.resets == 1 && summary.closes == 1)
        // The request behind it may have arrived too late to be counted as a request.
        #expect(summary.accepted == 2 && (2...4).contains(summary.cut))
    }

    @Test func `new settings are sent when the script requires them`() throws {
        let sink = try Sink(
            ["--initial-streams", "10", "--max-streams", "10"], rules: "* max-streams 3 times 1")
        let probe = try Probe(sink)
        probe.push(authorization: try sink.bearer())
        #expect(probe.next() == .settings(streams: 10))
        var seen: [Probe.Event] = []
        while seen.count < 2, let event = probe.next() { seen.append(event) }
        #expect(seen.contains(.settings(streams: 3)))
        _ = try sink.stop()
    }

    @Test func `only answers with a delay wait`() throws {
        let sink = try Sink(["--initial-streams", "10"], rules: "aa delay 400")
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        let start = Instant.now
        let slow = probe.push("aa", authorization: bearer)
        let quick = probe.push("bb", authorization: bearer)
        #expect(probe.answers(1).keys.contains(quick))
        #expect(probe.answers(1).keys.contains(slow))
        #expect(Instant.now.since(start) >= .milliseconds(400))
        _ = try sink.stop()
    }

    @Test func `answers due at one moment are all sent, on each connection, and none is sent too early`()
        throws
    {
        let sink = try Sink(["--initial-streams", "1000", "--delay-ms", "200"])
        let bearer = try sink.bearer()
        let probes = try (0..<3).map { try Probe(sink, narrow: $0 == 0) }
        probes.forEach { $0.greet() }
        let start = Instant.now
        for probe in probes { for _ in 0..<500 { probe.push(authorization: bearer) } }
        for probe in probes { #expect(probe.answers(500).count == 500) }
        #expect(Instant.now.since(start) >= .milliseconds(200))
        let (summary, _) = try sink.stop()
        #expect(summary.accepted == 1500)
    }

    @Test func `waiting answers are cancelled when the client disconnects or the sink stops`() throws {
        let sink = try Sink(["--initial-streams", "10", "--delay-ms", "60000"])
        let bearer = try sink.bearer()
        var gone: Probe? = try Probe(sink)
        gone?.push(authorization: bearer)
        _ = try sink.summary { $0.waiting == 1 || gone?.next(within: 1) != nil }
        gone = nil
        _ = try sink.summary { $0.cancelled == 1 }
        let stays = try Probe(sink)
        stays.push(authorization: bearer)
        _ = stays.next()
        _ = try sink.summary { $0.waiting == 1 || stays.next(within: 1) != nil }
        let (summary, lines) = try sink.stop()
        #expect(
            summary.cancelled == 2 && lines.allSatisfy { $0["ending"] == "cancelled" && $0["status"] == "0" })
    }
}
