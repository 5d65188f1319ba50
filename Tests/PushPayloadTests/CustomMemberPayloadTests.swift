import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

@Suite struct CustomMemberPayloadTests {
    private func content(
        _ name: String, _ value: CustomMember.Value = .json("1"), title: String? = nil
    ) -> Content {
        Content(title: title, body: "x", custom: [CustomMember(name: name, value: value)])
    }

    private func template(
        _ platform: Platform, _ content: Content, variables: [AppVariable] = []
    ) throws(PayloadError) -> PayloadTemplate {
        let delivery = DeliveryID(rawValue: 77)
        return switch platform {
        case .ios:
            try PayloadTemplate.apns(
                content: content, variables: variables, delivery: delivery, tracking: false, idFormat: .uuid)
        default:
            try PayloadTemplate.android(
                content: content, variables: variables, delivery: delivery, tracking: false, idFormat: .uuid)
        }
    }

    private func payload(
        _ platform: Platform, _ content: Content, variables: [AppVariable] = []
    ) throws -> String {
        let template = try template(platform, content, variables: variables)
        let bytes = template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 1, token: Array("t".utf8)
        ).bytes
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    @Test(arguments: [
        (Platform.ios, ["aps", "_mId", "_dId"]),
        (.android, ["_msg", "_mId", "_dId", "from", "message_type", "google.x", "gcm"]),
    ])
    func `a custom member must not have a name that the platform or the SDK reads`(
        platform: Platform, names: [String]
    ) {
        for name in names {
            #expect(throws: PayloadError.variablesReserved([name], platform)) {
                try template(platform, content(name))
            }
        }
    }

    @Test func `a custom member must not have the name of a variable, and needs no declaration`() throws {
        let declared = [AppVariable(name: "lang", defaultValue: "en")]
        for platform in Platform.allCases {
            #expect(throws: PayloadError.customClashing(["lang"])) {
                try template(platform, content("lang"), variables: declared)
            }
        }
        #expect(
            try payload(.ios, content("other", .json("null")), variables: declared)
                == #"{"aps":{"alert":{"body":"x"}},"lang":"en","other":null}"#)
        #expect(
            try payload(.android, content("other"), variables: declared).contains(
                #""data":{"_msg":"x","lang":"en","other":"1"}"#))
    }

    @Test
    func `in Android data, a custom member is a string, never null, and gives way to a data message's title`()
        throws
    {
        #expect(throws: PayloadError.variablesReserved(["title"], .android)) {
            try template(.android, content("title", title: "T"))
        }
        #expect(try payload(.android, content("title")).contains(#"{"_msg":"x","title":"1"}"#))
        #expect(throws: PayloadError.customNull(["a"])) {
            try template(.android, content("a", .json("null")))
        }
        #expect(try payload(.android, content("a", .text("null"))).contains(#""a":"null""#))
        #expect(try payload(.ios, content("a", .json(#"{"b":{}}"#))).hasSuffix(#","a":{"b":{}}}"#))
    }

    @Test(arguments: Platform.allCases)
    func `placeholders are found at any depth, and adjacent JSON braces are not placeholders`(
        platform: Platform
    )
        throws
    {
        let problem = "custom.a: must not contain {{: it is the same for all messages of a delivery"
        #expect(throws: PayloadError.places([problem])) {
            try template(platform, content("a", .json(#"{"b":["{{"]}"#)))
        }
        _ = try template(platform, content("a", .json(#"{"b":{"c":{}}}"#)))
    }
}
