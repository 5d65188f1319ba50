import Testing
import pushsink

@Suite struct RefusingScenarios {
    @Test func `each fault has Apple's status and reason in the answer`() throws {
        let sink = try Sink()
        let probe = try Probe(sink)
        let bearer = try sink.bearer()
        let id = "6ba7b810-9dad-81d1-80b4-00c04fd430c8"
        let table: [(String, [(String, String?)], String, String)] = [
            (Draft.token, [("apns-push-type", "shout")], "POST", "400 InvalidPushType"),
            (Draft.token, [("apns-priority", "11")], "POST", "400 BadPriority"),
            (Draft.token, [("apns-id", "1")], "POST", "400 BadMessageId"),
            (Draft.token, [("apns-topic", nil)], "POST", "400 MissingTopic"),
            (Draft.token, [("apns-expiration", "x")], "POST", "400 BadExpirationDate"),
            ("", [], "POST", "400 MissingDeviceToken"),
            ("abc", [], "POST", "400 BadDeviceToken"),
            (Draft.token, [], "PUT", "405 MethodNotAllowed"),
        ]
        for (token, headers, method, expected) in table {
            probe.push(token, headers, authorization: bearer, method: method)
            let words = expected.split(separator: " ")
            #expect(probe.answer() == #"\#(words[0]) {"reason":"\#(words[1])"}"#)
        }
        let stream = probe.push(Draft.token, [("apns-id", id)], authorization: bearer, body: "{}")
        let refusal = Probe.Event.answer(
            stream: stream, status: 400, id: id, body: #"{"reason":"PayloadEmpty"}"#)
        #expect(probe.answers(1)[stream] == refusal)
        let (summary, lines) = try sink.stop()
        #expect(summary.accepted == 0 && summary.rejected == table.count + 1)
        #expect(summary.rejectedByReason["BadPriority"] == 1)
        #expect(lines.last?["ending"] == "rejected" && lines.last?["body"] == "{}")
    }

    @Test func `a wrong provider token is refused with the matching reason`() throws {
        let sink = try Sink()
        for (authorization, reason) in [
            (nil, "MissingProviderToken"), ("bearer x.y.z", "InvalidProviderToken"),
            (try sink.bearer(age: 3700), "ExpiredProviderToken"),
        ] {
            let probe = try Probe(sink)
            probe.push(authorization: authorization)
            #expect(probe.answer() == #"403 {"reason":"\#(reason)"}"#)
        }
        _ = try sink.stop()
    }

    @Test func `a bad certificate causes the handshake to fail`() throws {
        let sink = try Sink()
        for name in [CertificateSet.Name.expired, CertificateSet.Name.stranger] {
            let probe = try Probe(sink, identity: name)
            probe.push()
            #expect(probe.answer().hasPrefix("ended:"), "\(name)")
        }
        let (summary, _) = try sink.stop()
        #expect(summary.requests == 0)
        #expect(summary.handshakesFailed["client certificate: certificate has expired"] == 1)
        #expect(summary.handshakesFailed.values.reduce(0, +) == 2)
    }

    @Test func `a bad certificate receives an HTTP answer if the option requests it`() throws {
        let sink = try Sink(["--answer-bad-certificates"])
        for name in [CertificateSet.Name.expired, CertificateSet.Name.stranger] {
            let probe = try Probe(sink, identity: name)
            probe.push()
            #expect(probe.answer() == #"403 {"reason":"BadCertificate"}"#)
        }
        _ = try sink.stop()
    }

    @Test func `a connection without a required certificate is refused`() throws {
        let sink = try Sink(["--require-client-certificate"])
        let probe = try Probe(sink)
        probe.push()
        #expect(probe.answer().hasPrefix("ended:"))
        _ = try sink.stop()
    }
}
