import Testing
import pushsink

@Suite struct APNsContractTests {
    private let contract = APNsContract(bundles: ["com.example.app", "com.example.other"])

    private func fault(
        _ draft: Draft, certificateTopic: String? = nil, by contract: APNsContract? = nil
    ) -> APNsReason? {
        let contract = contract ?? self.contract
        return draft.withRequest { request in
            contract.faultOfRoute(request) ?? contract.fault(request, certificateTopic: certificateTopic)
        }
    }

    @Test func `a valid request has no fault`() {
        #expect(fault(Draft()) == nil)
        let bare = [RequestField.pushType, .priority, .expiration, .identifier].reduce(Draft()) {
            $0.with($1, nil)
        }
        #expect(fault(bare) == nil)
    }

    @Test(
        arguments: [
            (.method, "GET", .methodNotAllowed), (.method, nil, .methodNotAllowed),
            (.path, "/", .badPath), (.path, "/3/devices/ab", .badPath), (.path, "/2/device/ab", .badPath),
            (.path, "/3/device", .missingDeviceToken), (.path, "/3/device/", .missingDeviceToken),
            (.path, "/3/device/abc", .badDeviceToken), (.path, "/3/device/xy", .badDeviceToken),
            (.path, "/3/device/ab/cd", .badDeviceToken),
            (.path, "/3/device/" + String(repeating: "ab", count: 101), .badDeviceToken),
            (.path, "/3/device/ab", nil), (.path, "/3/device/ABCDEF", nil),
            (.topic, nil, .missingTopic), (.topic, "", .missingTopic),
            (.topic, "com.example.app ", .badTopic),
            (.topic, "com.example.else", .topicDisallowed),
            (.topic, "com.example.app.voip", .topicDisallowed),
            (.topic, "com.example.other", nil),
            (.pushType, "Alert", .invalidPushType), (.pushType, "", .invalidPushType),
            (.pushType, "silent", .invalidPushType),
            (.pushType, "voip", .topicDisallowed),
            (.priority, "5", nil), (.priority, "1", nil), (.priority, "7", .badPriority),
            (.priority, "high", .badPriority),
            (.expiration, "0", nil), (.expiration, "-1", .badExpirationDate),
            (.expiration, "tomorrow", .badExpirationDate),
            (.expiration, "", .badExpirationDate), (.expiration, "1.5", .badExpirationDate),
            (.identifier, "6BA7B810-9DAD-81D1-80B4-00C04FD430C8", .badMessageID),
            (.identifier, "", .badMessageID),
            (.collapse, String(repeating: "x", count: 64), nil),
            (.collapse, String(repeating: "x", count: 65), .badCollapseID),
            (.collapse, String(repeating: "é", count: 33), .badCollapseID),
        ] as [(RequestField, String?, APNsReason?)])
    func `each header is checked by its rule`(field: RequestField, value: String?, reason: APNsReason?) {
        #expect(fault(Draft().with(field, value)) == reason)
    }

    @Test func `a background push needs an explicit priority of 5`() {
        let background = Draft().with(.pushType, "background")
        #expect(fault(background.with(.priority, "10")) == .badPriority)
        #expect(fault(background.with(.priority, "1")) == .badPriority)
        #expect(fault(background.with(.priority, nil)) == .badPriority)
        #expect(fault(background.with(.priority, "5")) == nil)
    }

    @Test func `each push type has its own topic`() {
        for type in APNsPushType.allCases {
            let draft = Draft().with(.pushType, type.rawValue).with(.priority, "5")
            #expect(fault(draft.with(.topic, "com.example.app" + type.topicSuffix)) == nil, "\(type)")
            #expect(fault(draft.with(.topic, "com.example.app.zebra")) == .topicDisallowed, "\(type)")
        }
    }

    @Test func `a repeated header is reported as a duplicate, whatever its value`() {
        #expect(fault(Draft().repeating(.priority, "10")) == .duplicateHeaders)
        #expect(fault(Draft().repeating(.topic, "com.example.app")) == .duplicateHeaders)
    }

    @Test func `payload limits are exact to the byte`() {
        func payload(_ count: Int) -> String {
            let frame = #"{"aps":{},"x":""}"#
            return #"{"aps":{},"x":""# + String(repeating: "y", count: count - frame.utf8.count) + #""}"#
        }
        let voip = Draft().with(.pushType, "voip").with(.topic, "com.example.app.voip")
        #expect(fault(Draft().with(body: payload(4096))) == nil)
        #expect(fault(Draft().with(body: payload(4097))) == .payloadTooLarge)
        #expect(fault(voip.with(body: payload(5120))) == nil)
        #expect(fault(voip.with(body: payload(5121))) == .payloadTooLarge)
        #expect(fault(Draft().with(body: payload(100_000))) == .payloadTooLarge)
        #expect(fault(Draft().with(body: "")) == .payloadEmpty)
    }

    @Test func `a payload is an object with aps, except for the two push types with their own form`() {
        for body in ["{", "[]", "{}", #"{"aps":1}"#] {
            #expect(fault(Draft().with(body: body)) == .payloadEmpty)
        }
        #expect(fault(Draft().with(.pushType, "mdm").with(body: #"{"mdm":"magic"}"#)) == nil)
        var unread = contract
        unread.checksPayload = false
        #expect(fault(Draft().with(body: "{"), by: unread) == nil)
    }

    @Test func `a certificate implies its topic and permits no other topic`() {
        #expect(fault(Draft().with(.topic, nil), certificateTopic: "com.example.app") == nil)
        #expect(fault(Draft(), certificateTopic: "com.example.app") == nil)
        let other = Draft().with(.topic, "com.example.other")
        #expect(fault(other, certificateTopic: "com.example.app") == .topicDisallowed)
    }

    @Test func `any topic is accepted if no bundles are configured`() {
        let open = APNsContract(bundles: [])
        #expect(fault(Draft().with(.topic, "org.anything"), by: open) == nil)
        #expect(fault(Draft().with(.topic, nil), by: open) == .missingTopic)
    }
}
