import Testing
import pushsink

@Suite struct FCMContractTests {
    /// Returns the reason for the fault; `nil` if the message is valid.
    private func reason(_ body: String, _ contract: FCMContract = FCMContract()) -> String? {
        body.asBytes { bytes in
            switch contract.judge(bytes, length: UInt64(bytes.count), JSONDocument()) {
            case .good: nil
            case .fault(let rejection): rejection.reason
            }
        }
    }

    private func message(_ fields: String) -> String { #"{"message":{"token":"t:1",\#(fields)}}"# }

    @Test(arguments: [
        #"{"message":{"token":"abc"}}"#, #"{"message":{"topic":"news"}}"#, #"{"message":{"fid":"f"}}"#,
        #"{"message":{"condition":"'a' in topics && 'b' in topics"},"validate_only":false}"#,
        #"{"message":{"token":"abc","topic":null,"name":"x"}}"#,
        #"""
        {"validateOnly":true,"message":{"token":"abc","data":{"_msg":"x","é":""},"notification":{"title":"a","body":"b",
        "image":"i"},"android":{"collapse_key":"c","priority":"HIGH","ttl":"3.5s","restrictedPackageName":"p","data":{},
        "notification":{"channel_id":"n","color":"#A0b1C2","sticky":true,"event_time":"2026-11-21T10:00:00Z",
        "title_loc_args":["x"],"notification_priority":"PRIORITY_MAX","visibility":"PUBLIC","notification_count":3,
        "vibrate_timings":["0.25s"],"light_settings":{"color":{"red":1,"green":0.5,"blue":0,"alpha":1},
        "light_on_duration":"1s","light_off_duration":"1s"}},"fcm_options":{"analytics_label":"l"},
        "direct_boot_ok":false},"apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"x":[1]}}},
        "webpush":{"notification":{"anything":1}}}}
        """#,
    ])
    func `a message with the documented form is valid`(body: String) {
        #expect(reason(body) == nil)
    }

    @Test(arguments: [
        ("", "body"), ("{", "body"), ("[]", "body"), ("{}", "message"), (#"{"message":1}"#, "message"),
        (#"{"message":{}}"#, "message"), (#"{"message":{"token":"a","topic":"b"}}"#, "message"),
        (#"{"message":{"token":""}}"#, "message.token"), (#"{"message":{"token":"a b"}}"#, "message.token"),
        (#"{"message":{"token":"a\u0041"}}"#, "message.token"),
        (#"{"message":{"token":1}}"#, "message.token"),
        (#"{"message":{"token":"a"},"validate_only":1}"#, "validate_only"),
        (#"{"message":{"token":"a"},"dry_run":true}"#, ""),
    ])
    func `the target and the outer object of a message are checked`(body: String, field: String) {
        #expect(reason(body) == "INVALID_ARGUMENT:\(field)")
    }

    @Test(arguments: [
        (#""data":{"a":1}"#, "message.data[0].value"),
        (#""data":{"a":"1","b":true}"#, "message.data[1].value"),
        (#""data":[]"#, "message.data"), (#""data":{"from":"x"}"#, "message.data"),
        (#""data":{"message_type":"x"}"#, "message.data"), (#""data":{"gcm":"x"}"#, "message.data"),
        (#""data":{"gcm.n":"x"}"#, "message.data"), (#""data":{"googleX":"x"}"#, "message.data"),
        (#""data":{"\u0066rom":"x"}"#, "message.data"),
        (#""android":{"data":{"google.c":"x"}}"#, "message.android.data"),
        (#""android":{"ttl":"5"}"#, "message.android.ttl"), (#""android":{"ttl":5}"#, "message.android.ttl"),
        (#""android":{"ttl":"-1s"}"#, "message.android.ttl"),
        (#""android":{"ttl":"2419201s"}"#, "message.android.ttl"),
        (#""android":{"ttl":"2419200.1s"}"#, "message.android.ttl"),
        (#""android":{"ttl":"1.0000000001s"}"#, "message.android.ttl"),
        (#""android":{"priority":"10"}"#, "message.android.priority"),
        (#""android":{"color":"x"}"#, "message.android"), (#""badge":1"#, "message"),
        (#""android":{"notification":{"color":"red"}}"#, "message.android.notification.color"),
        (#""android":{"notification":{"sticky":"yes"}}"#, "message.android.notification.sticky"),
        (
            #""android":{"notification":{"notification_count":1.5}}"#,
            "message.android.notification.notification_count"
        ),
        (
            #""android":{"notification":{"notification_priority":"MAX"}}"#,
            "message.android.notification.notification_priority"
        ),
        (#""android":{"notification":{"visibility":"x"}}"#, "message.android.notification.visibility"),
        (
            #""android":{"notification":{"body_loc_args":["a",1]}}"#,
            "message.android.notification.body_loc_args[1]"
        ),
        (#""android":{"notification":{"event_time":"now"}}"#, "message.android.notification.event_time"),
        (#""apns":{"headers":{"apns-priority":5}}"#, "message.apns.headers[0].value"),
    ])
    func `the form of each field is checked, and the error names the field`(fields: String, field: String) {
        #expect(reason(message(fields)) == "INVALID_ARGUMENT:\(field)")
    }

    @Test func `the limits of a ttl are themselves valid`() {
        for ttl in ["0s", "2419200s", "2419200.0s", "0.000000001s"] {
            #expect(reason(message(#""android":{"ttl":"\#(ttl)"}"#)) == nil, "\(ttl)")
        }
    }

    @Test func `payload limits are exact to the byte, and an escaped character counts as one`() {
        func data(_ count: Int, _ target: String = #""token":"t""#) -> String {
            // The key counts one byte, and "\n" counts another.
            #"{"message":{\#(target),"data":{"k":"\n\#(String(repeating: "x", count: count - 2))"}}}"#
        }
        #expect(reason(data(4096)) == nil)
        #expect(reason(data(4097)) == "INVALID_ARGUMENT:no-details")
        #expect(reason(data(2048, #""topic":"t""#)) == nil)
        #expect(reason(data(2049, #""topic":"t""#)) == "INVALID_ARGUMENT:no-details")
        #expect(reason(data(9000), FCMContract(checksFields: false)) == nil)
    }

    @Test func `a body that is longer than the stored part is invalid`() {
        let body = #"{"message":{"token":"abc"}}"#
        let judgement = body.asBytes { FCMContract().judge($0, length: 1_000_000, JSONDocument()) }
        guard case .fault(let rejection) = judgement else {
            Issue.record("taken")
            return
        }
        #expect(rejection.status == 400)
    }

    @Test func `a parsed message contains its target and whether it is only validated`() throws {
        try #"{"message":{"topic":"news"},"validate_only":true}"#.asBytes { bytes in
            let document = JSONDocument()
            let judgement = FCMContract().judge(bytes, length: UInt64(bytes.count), document)
            guard case .good(let target, let mark) = judgement else {
                throw SinkError.failed("judging", why: "fault")
            }
            #expect(target.text == "news" && mark == .validateOnly)
        }
    }

    @Test(arguments: [
        (#"{"message":{"token":"t:1-_","data":{"a":"\"token\":\"x"}}}"#, "t:1-_", FCMMark.isToken),
        (#"{"message":{"data":{"token":"x"},"token":"t:1"}}"#, "t:1", FCMMark.isToken),
        (#"{"message":{"topic":"news","data":{"token":"x"}}}"#, "news", FCMMark()),
        (#"{"message":{"token" : "t:1"}}"#, "t:1", FCMMark.isToken),
        (#"{"message":{"topic":"news"}}"#, "news", FCMMark()),
        (#"{"validate_only":true,"message":{"token":"t:1"}}"#, "t:1", FCMMark([.isToken, .validateOnly])),
    ])
    func `a check of only the target finds the same target`(body: String, target: String, mark: FCMMark) {
        body.asBytes { bytes in
            let judgement = FCMContract(checksFields: false)
                .judge(bytes, length: UInt64(bytes.count), JSONDocument())
            guard case .good(let found, let foundMark) = judgement else {
                Issue.record("refused")
                return
            }
            #expect(found.text == target && foundMark == mark)
        }
    }

    @Test(arguments: [
        #"{"message":{"token":"a b"}}"#, #"{"message":{"token":"a\nb"}}"#, #"{"message":{"token":"a"#,
        #"{"message":{"token":""}}"#, #"{"message":{}}"#,
    ])
    func `a check of only the target refuses an invalid token`(body: String) {
        #expect(reason(body, FCMContract(checksFields: false)) != nil)
    }
}
