import Foundation
import Testing
import pushsink

@Suite struct LegacyScenarios {
    private struct Answer: Decodable {
        struct Result: Decodable {
            var message_id: String?, registration_id: String?, error: String?
        }
        var success: Int, failure: Int, canonical_ids: Int
        var results: [Result]
    }

    private func read(_ body: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(body.utf8))
    }

    @Test(arguments: ["--http2", "--http1.1"])
    func `the results for a thousand tokens are in the order of the tokens`(option: String) throws {
        let sink = try GoogleSink(rules: "gone legacy NotRegistered\nmoved canonical fresh:token")
        let tokens = (0..<1000).map { ($0 % 10 == 3 ? "gone" : $0 % 10 == 7 ? "moved" : "here") + ":\($0)" }
        let list = tokens.map { "\"\($0 + String(repeating: "x", count: 150))\"" }.joined(separator: ",")
        let file = "\(sink.sink.directory)/body"
        try Files.replace(file, with: Array(#"{"registration_ids":[\#(list)],"data":{"a":"b"}}"#.utf8))
        let reply = try sink.post("/fcm/send", "@\(file)", authorization: sink.legacyKey(), [option])
        let answer = try read(reply.body)
        #expect(answer.success == 900 && answer.failure == 100 && answer.canonical_ids == 100)
        #expect(answer.results.count == 1000)
        for (index, result) in answer.results.enumerated() {
            #expect(result.error == (index % 10 == 3 ? "NotRegistered" : nil), "\(index)")
            #expect(result.registration_id == (index % 10 == 7 ? "fresh:token" : nil), "\(index)")
            #expect((result.message_id == nil) == (index % 10 == 3), "\(index)")
        }
        let (fcm, _) = try sink.stop()
        #expect(fcm.messages == 900 && fcm.resultErrors == ["NotRegistered": 100] && fcm.canonicalIDs == 100)
        #expect(fcm.requests == 1 && fcm.distinctTokens == 900)
    }

    @Test(arguments: [
        "NotRegistered", "InvalidRegistration", "MismatchSenderId", "MissingRegistration",
        "InvalidPackageName",
        "InvalidTtl", "MessageTooBig", "InvalidDataKey", "Unavailable", "InternalServerError",
        "DeviceMessageRateExceeded", "TopicsMessageRateExceeded", "InvalidApnsCredential", "SomethingNew",
    ])
    func `every error for a token can be produced`(error: String) throws {
        let sink = try GoogleSink(rules: "t legacy \(error)")
        let reply = try sink.post("/fcm/send", #"{"to":"t1"}"#, authorization: sink.legacyKey())
        let answer = try read(reply.body)
        #expect(reply.status == 200 && answer.results.map(\.error) == [error] && answer.failure == 1)
        _ = try sink.stop()
    }

    @Test func `an answer to the whole request replaces the results for tokens`() throws {
        let sink = try GoogleSink(
            rules:
                "a status 503 Unavailable retry-after 3\nb html 502\nc status 400 InvalidParameters\nd short")
        func post(_ token: String) throws -> Curl.Answer {
            try sink.post(
                "/fcm/send", #"{"registration_ids":["x","\#(token)"]}"#, authorization: sink.legacyKey())
        }
        let unavailable = try post("a")
        #expect(unavailable.status == 503 && unavailable.retryAfter == "3")
        #expect(try post("b").body.hasPrefix("<!DOCTYPE html>"))
        #expect(try post("c").status == 400)
        #expect(try read(try post("d").body).results.count == 1)
        let key = try sink.legacyKey()
        #expect(try sink.post("/fcm/send", "{", authorization: key).status == 400)
        #expect(try sink.post("/fcm/send", #"{"to":"t"}"#, authorization: key + "x").status == 401)
        #expect(
            try sink.post("/fcm/send", #"{"to":"/topics/a"}"#, authorization: key).body
                .wholeMatch(of: /\{"message_id":\d+\}/) != nil)
        _ = try sink.stop()
    }
}
