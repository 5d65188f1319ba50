import Foundation
import Testing
import pushsink

@Suite struct FCMScenarios {
    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1"), ("--no-alpn", "1.1")])
    func `a message is accepted over either HTTP version`(option: String, version: String) throws {
        let sink = try GoogleSink()
        let bearer = try sink.bearer()
        let answer = try sink.post(GoogleSink.message("t:1"), authorization: bearer, [option])
        #expect(answer.status == 200 && answer.version == version)
        let name = try #require(answer.body.wholeMatch(of: /\{"name":"projects\/(.+)\/messages\/0:(.+)"\}/))
        #expect(name.1 == sink.account.projectID)
        let next = try sink.post(GoogleSink.message("t:1"), authorization: bearer, [option])
        #expect(next.status == 200 && next.body != answer.body && next.body.count == answer.body.count)
        let looked = try sink.post(
            #"{"validate_only":true,"message":{"token":"t:2"}}"#, authorization: bearer, [option])
        #expect(looked.body == #"{"name":"projects/\#(sink.account.projectID)/messages/fake_message_id"}"#)
        let (fcm, oauth) = try sink.stop()
        #expect(fcm.messages == 2 && fcm.validatedOnly == 1 && fcm.accepted == 3 && fcm.distinctTokens == 1)
        #expect(oauth.tokensIssued == 1)
    }

    @Test func `an unauthorised client receives the error without FCM details`() throws {
        let sink = try GoogleSink()
        for bad in ["Bearer ya29.other", "Basic x", "key=x"] {
            let answer = try sink.post(GoogleSink.message("t"), authorization: bad)
            #expect(answer.status == 401 && answer.body.contains(#""status":"UNAUTHENTICATED""#))
            #expect(!answer.body.contains("FcmError"))
        }
        let fresh = try sink.bearer()
        let elsewhere = try sink.post(
            "/v1/projects/other/messages:send", GoogleSink.message("t"), authorization: fresh)
        #expect(elsewhere.status == 403 && elsewhere.body.contains("PERMISSION_DENIED"))
        let nowhere = try sink.post("/v1/nothing", GoogleSink.message("t"), authorization: fresh)
        #expect(nowhere.status == 404 && !nowhere.body.contains("FcmError"))
        #expect(try sink.post("/fcm/send", #"{"to":"t"}"#, authorization: fresh).status == 401)
        _ = try sink.stop()
    }

    @Test func `a bearer token is valid until it expires`() throws {
        let sink = try GoogleSink(["--oauth-expires-s", "1"])
        let bearer = try sink.bearer()
        var answer = try sink.post(GoogleSink.message("t"), authorization: bearer)
        while answer.status == 200 { answer = try sink.post(GoogleSink.message("t"), authorization: bearer) }
        #expect(answer.status == 401)
        _ = try sink.stop()
    }

    /// The effect of a rule on the answer, for every error that a provider must understand.
    @Test func `every v1 error can be produced`() throws {
        let rows: [(rule: String, status: UInt32, text: String)] = [
            ("fcm UNREGISTERED", 404, #""errorCode":"UNREGISTERED""#),
            ("fcm INVALID_ARGUMENT", 400, #""errorCode":"INVALID_ARGUMENT""#),
            ("fcm INVALID_ARGUMENT message.token", 400, #""field":"message.token""#),
            ("rpc 400 INVALID_ARGUMENT", 400, #""status":"INVALID_ARGUMENT"}}"#),
            ("fcm SENDER_ID_MISMATCH", 403, "SENDER_ID_MISMATCH"),
            ("fcm QUOTA_EXCEEDED retry-after 2", 429, "google.rpc.QuotaFailure"),
            ("fcm UNAVAILABLE retry-after date 2", 503, "UNAVAILABLE"), ("fcm INTERNAL", 500, "INTERNAL"),
            ("fcm THIRD_PARTY_AUTH_ERROR", 401, "THIRD_PARTY_AUTH_ERROR"),
            ("fcm UNSPECIFIED_ERROR", 500, "UNSPECIFIED_ERROR"),
            ("rpc 401 UNAUTHENTICATED", 401, #""status":"UNAUTHENTICATED"}}"#),
            ("rpc 403 PERMISSION_DENIED", 403, #""status":"PERMISSION_DENIED"}}"#),
            ("rpc 404 NOT_FOUND", 404, #""status":"NOT_FOUND"}}"#), ("fcm BRAND_NEW 409", 409, "BRAND_NEW"),
            ("html 502", 502, "<!DOCTYPE html>"), ("html 200", 200, "<!DOCTYPE html>"),
        ]
        let rules = rows.enumerated().map { "row\($0)! \($1.rule)" }.joined(separator: "\n")
        let sink = try GoogleSink(rules: rules)
        let bearer = try sink.bearer()
        let probe = try Probe(sink.sink, port: sink.fcm)
        probe.greet()
        for (index, row) in rows.enumerated() {
            let stream = probe.post(
                sink.path, authorization: bearer, body: GoogleSink.message("row\(index)!x"))
            guard case .answer(_, let status, _, let body) = probe.answers(1)[stream] else {
                Issue.record("no answer to \(row.rule)")
                continue
            }
            #expect(status == row.status && body.contains(row.text), "\(row.rule): \(status) \(body)")
        }
        let (fcm, _) = try sink.stop()
        #expect(fcm.rejected == rows.count && fcm.messages == 0)
        #expect(
            fcm.rejectedByReason["INVALID_ARGUMENT:message.token"] == 1 && fcm.rejectedByReason["HTML"] == 2)
    }

    @Test func `an answer can name a retry time, in seconds or as a date`() throws {
        let sink = try GoogleSink(rules: "a fcm UNAVAILABLE retry-after 2\nb html 503 retry-after date 5")
        let bearer = try sink.bearer()
        for option in ["--http2", "--http1.1"] {
            #expect(try sink.post(GoogleSink.message("a"), authorization: bearer, [option]).retryAfter == "2")
            let date = try sink.post(GoogleSink.message("b"), authorization: bearer, [option]).retryAfter
            #expect(date.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/) != nil, "\(date)")
        }
        _ = try sink.stop()
    }

    @Test(arguments: ["--http2", "--http1.1"])
    func `an answer can be cut off in the middle of its JSON or of its HTTP`(option: String) throws {
        let sink = try GoogleSink(rules: "a truncated\nb broken-off\nc reset\nd close")
        let bearer = try sink.bearer()
        let truncated = try sink.post(GoogleSink.message("a"), authorization: bearer, [option])
        #expect(truncated.exit == 0 && truncated.status == 200 && truncated.body.hasPrefix(#"{"name"#))
        #expect(!truncated.body.hasSuffix("}"))
        for token in ["b", "c", "d"] {
            #expect(
                try sink.post(GoogleSink.message(token), authorization: bearer, [option]).exit != 0,
                "\(token)")
        }
        let (fcm, _) = try sink.stop()
        #expect(fcm.resets == 1 && fcm.closes == 1 && fcm.cut == 2)
    }

    @Test func `the quota per minute applies`() throws {
        let sink = try GoogleSink(["--fcm-quota-per-minute", "3"])
        let bearer = try sink.bearer()
        for _ in 0..<3 {
            #expect(try sink.post(GoogleSink.message("t"), authorization: bearer).status == 200)
        }
        let answer = try sink.post(GoogleSink.message("t"), authorization: bearer)
        #expect(answer.status == 429 && answer.body.contains("RESOURCE_EXHAUSTED"))
        #expect((1...60).contains(try #require(Int(answer.retryAfter))))
        let (fcm, _) = try sink.stop()
        #expect(fcm.messages == 3 && fcm.rejectedByReason == ["QUOTA_EXCEEDED": 1])
    }

    @Test func `parallel requests are counted for each connection and in total`() throws {
        let sink = try GoogleSink(["--fcm-delay-ms", "400", "--fcm-max-streams", "5"])
        let bearer = try sink.bearer()
        let probes = try (0..<2).map { _ in try Probe(sink.sink, port: sink.fcm) }
        #expect(probes[0].next() == .settings(streams: 5))
        probes[1].greet()
        for probe in probes {
            for _ in 0..<4 { probe.post(sink.path, authorization: bearer, body: GoogleSink.message("t")) }
            // Sends the requests before their answers are due.
            #expect(probe.next(within: 1) == nil)
        }
        for probe in probes { #expect(probe.answers(4).count == 4) }
        let single = try sink.post(GoogleSink.message("t"), authorization: bearer, ["--http1.1"])
        #expect(single.status == 200)
        let (fcm, _) = try sink.stop()
        #expect(fcm.parallelStreamsPerConnection == 4 && (5...8).contains(fcm.parallelStreams))
        #expect(fcm.messages == 9 && fcm.connections == 3)
    }

    @Test func `the log has a line for each message`() throws {
        let directory = try Files.makeTemporaryDirectory()
        defer { Files.removeDirectory(directory) }
        let sink = try GoogleSink(
            ["--fcm-log", "\(directory)/log"], rules: "gone fcm UNREGISTERED\ngone legacy NotRegistered")
        let bearer = try sink.bearer()
        _ = try sink.post(GoogleSink.message("t1"), authorization: bearer)
        _ = try sink.post(GoogleSink.message("gone"), authorization: bearer)
        _ = try sink.post(
            "/fcm/send", #"{"registration_ids":["t2","gone"]}"#, authorization: sink.legacyKey())
        _ = try sink.stop()
        let lines = try LogLine.all(in: "\(directory)/log")
        #expect(lines.map { $0["token"] } == ["t1", "gone", "t2", "gone"])
        #expect(lines.map { $0["api"] } == ["v1", "v1", "legacy", "legacy"])
        #expect(lines.map { $0["result"] } == ["accepted", "-", "accepted", "NotRegistered"])
        #expect(lines.map { $0["reason"] } == ["-", "UNREGISTERED", "-", "-"])
        #expect(lines[0]["body"] == GoogleSink.message("t1"))
    }
}
