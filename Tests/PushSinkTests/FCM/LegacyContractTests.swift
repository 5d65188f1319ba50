import Testing
import pushsink

@Suite struct LegacyContractTests {
    private func judge(_ body: String) -> LegacyContract.Judgement {
        body.asBytes { LegacyContract.judge($0, length: UInt64($0.count), JSONDocument()) }
    }

    private func ids(_ count: Int) -> String {
        #"{"registration_ids":[\#((0..<count).map { "\"t\($0)\"" }.joined(separator: ","))]}"#
    }

    @Test func `up to a thousand tokens can share one request`() {
        for count in [1, 1000] {
            guard case .good(let message) = judge(ids(count)) else {
                Issue.record("\(count) are too many")
                continue
            }
            #expect(message.tokens.count == count && message.error == nil && !message.isTopic)
        }
        guard case .good(let topic) = judge(#"{"to":"/topics/x","dry_run":true}"#) else {
            Issue.record("a topic is refused")
            return
        }
        #expect(topic.isTopic && topic.dryRun)
    }

    @Test(arguments: [
        ("{", "JSON_PARSING_ERROR"), ("[]", "JSON_PARSING_ERROR"), (#"{"to":1}"#, "InvalidParameters"),
        (#"{"to":"a","registration_ids":["b"]}"#, "InvalidParameters"),
        (#"{"registration_ids":[]}"#, "InvalidParameters"),
        (#"{"registration_ids":[1]}"#, "InvalidParameters"),
        (#"{"to":"a","data":[]}"#, "InvalidParameters"),
    ])
    func `a request that is wrong as a whole receives status 400`(body: String, reason: String) {
        guard case .fault(let rejection) = judge(body) else {
            Issue.record("taken")
            return
        }
        #expect(rejection.status == 400 && rejection.reason == reason)
    }

    @Test func `a thousand and one tokens in one request are too many`() {
        guard case .fault(let rejection) = judge(ids(1001)) else {
            Issue.record("taken")
            return
        }
        #expect(rejection.status == 400)
    }

    @Test(
        arguments: [
            (#"{"data":{}}"#, "MissingRegistration"), (#"{"to":"a","data":{"from":"x"}}"#, "InvalidDataKey"),
            (#"{"to":"a","data":{"google.x":"x"}}"#, "InvalidDataKey"),
            (#"{"to":"a","time_to_live":2419201}"#, "InvalidTtl"),
            (#"{"to":"a","time_to_live":"1"}"#, "InvalidTtl"),
            (#"{"to":"a","restricted_package_name":1}"#, "InvalidPackageName"),
            (#"{"to":"a","data":{"k":"\#(String(repeating: "x", count: 4096))"}}"#, "MessageTooBig"),
            (#"{"to":"a","data":{"k":"\#(String(repeating: "x", count: 4095))"},"time_to_live":0}"#, nil),
        ] as [(String, String?)])
    func `a fault in the message leads to an error for each token`(body: String, error: String?) {
        guard case .good(let message) = judge(body) else {
            Issue.record("refused")
            return
        }
        #expect(message.error == error)
    }
}
