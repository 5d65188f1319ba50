import GatewayFCM
import PushModel
import PushPayload
import Testing

/// Tests which texts and variables a message to Android contains.
@Suite struct AndroidTextTests {
    private func template(
        _ content: Content, variables: [AppVariable] = []
    ) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate.android(
            content: content, variables: variables, delivery: DeliveryID(rawValue: 77), tracking: false,
            idFormat: .uuid)
    }

    private func body(_ content: Content, variables: [AppVariable] = []) throws -> String {
        let bytes = try template(content, variables: variables).rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 42, token: Array("token".utf8),
            secondsToLive: 3_600
        ).bytes
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    @Test func `the title of a data message is that of a variable, of the content or of a default`()
        throws
    {
        var content = Content(title: "T", body: "x", variables: ["title": "V"])
        #expect(try body(content).contains(#""data":{"_msg":"x","title":"V"}"#))
        content.android.type = .notification
        #expect(try body(content).contains(#""data":{"title":"V"}"#))
        #expect(
            try body(Content(body: "x", variables: ["title": "V"])).contains(#"{"_msg":"x","title":"V"}"#))
        let declared = [
            AppVariable(name: "title", defaultValue: nil),
            AppVariable(name: "sub", defaultValue: nil, isOptional: true),
        ]
        let both = Content(title: "T", body: "x", variables: ["title": "V", "sub": "S"])
        #expect(try body(both, variables: declared).contains(#"{"_msg":"x","sub":"S","title":"V"}"#))
        #expect(try body(Content(title: "T"), variables: declared).contains(#""data":{"title":"T"}"#))
        let only = [AppVariable(name: "title", defaultValue: "D")]
        #expect(
            try body(Content(title: "T", variables: ["other": "1"]), variables: only).contains(
                #""data":{"title":"T"}"#))
        #expect(
            try body(Content(body: "x"), variables: only).contains(#""data":{"_msg":"x","title":"D"}"#))
        // The app declares other variables, so the title belongs to another app of the delivery.
        let others = [AppVariable(name: "sub", defaultValue: "S")]
        #expect(
            try body(Content(title: "T", variables: ["title": "V"]), variables: others).contains(
                #""data":{"title":"T","sub":"S"}"#))
        #expect(throws: PayloadError.variablesReserved(["title"], .android)) {
            try template(Content(title: "T", custom: [CustomMember(name: "title", value: .text("C"))]))
        }
    }

    @Test func `a silent message contains neither title nor body`() throws {
        var content = Content(title: "T", body: "B", variables: ["v": "1"])
        content.android.type = .silent
        #expect(try body(content).contains(#""data":{"v":"1"}"#))
        content.variables = []
        #expect(try !body(content).contains("data"))
    }

    @Test func `an optional variable without a value is not sent`() throws {
        let declared = [AppVariable(name: "url", defaultValue: nil, isOptional: true)]
        #expect(try body(Content(body: "x"), variables: declared).contains(#""data":{"_msg":"x"}"#))
        #expect(
            try body(Content(body: "x", variables: ["url": "u"]), variables: declared).contains(
                #""data":{"_msg":"x","url":"u"}"#))
    }
}
