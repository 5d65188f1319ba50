import Foundation
import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

@Suite struct ShorteningTests {
    private func content(
        title: String? = nil, body: String? = nil, variables: [String: String] = [:], shortens: Bool = true
    ) -> Content {
        var content = Content(title: title, body: body, variables: variables)
        content.shortens = shortens
        return content
    }

    private func apns(_ content: Content, limit: Int = 200) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate.apns(
            content: content, variables: [], delivery: DeliveryID(rawValue: 7), tracking: true,
            idFormat: .uuid, limitBytes: limit)
    }

    private func android(_ content: Content, limit: Int = 200) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate.android(
            content: content, variables: [], delivery: DeliveryID(rawValue: 7), tracking: true,
            idFormat: .uuid, limitBytes: limit)
    }

    /// Returns the payload's JSON and the size that the gateway counts.
    private func rendered(
        _ template: PayloadTemplate, _ parameters: String = ""
    ) throws -> (json: [String: Any], counted: Int) {
        let (token, filling) = (Array("token".utf8), Array(parameters.utf8))
        let bytes = try #require(
            template.rendered(
                identity: OpaqueID(high: 1, low: 2), integerID: 3, token: token, secondsToLive: 60,
                parameters: filling
            ).bytes)
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return (
            try #require(json),
            template.countedBytes(of: bytes.count, token: token, secondsToLive: 60, filling: filling)
        )
    }

    private func alert(_ json: [String: Any]) throws -> [String: String] {
        try #require((json["aps"] as? [String: Any])?["alert"] as? [String: String])
    }

    /// Returns the body for either platform.
    private func body(_ json: [String: Any]) throws -> String {
        let ofIOS = ((json["aps"] as? [String: Any])?["alert"] as? [String: String])?["body"]
        let ofAndroid = ((json["message"] as? [String: Any])?["data"] as? [String: String])?["_msg"]
        return try #require(ofIOS ?? ofAndroid)
    }

    private func isShortened(_ template: PayloadTemplate, _ parameters: String = "") -> Bool {
        template.isShortened(
            identity: OpaqueID(high: 1, low: 2), integerID: 3, token: Array("token".utf8), secondsToLive: 60,
            parameters: Array(parameters.utf8))
    }

    /// Texts with characters of one to about twenty bytes, and texts with escapes.
    static let texts = [
        String(repeating: "x", count: 400), String(repeating: "é", count: 300),
        String(repeating: "e\u{301}", count: 300), String(repeating: "👩‍👩‍👧‍👦", count: 40),
        String(repeating: "日本", count: 100), String(repeating: "\"\\\n\t\u{1}", count: 80),
        String(repeating: "🇫🇷a", count: 60),
    ]

    @Test(arguments: texts)
    func `a body is shortened between characters, and as little as necessary`(body: String) throws {
        for limit in 180...200 {
            let iOS = try apns(content(title: "T", body: body), limit: limit)
            let (json, counted) = try rendered(iOS)
            let cut = try self.body(json)
            #expect(body.hasPrefix(cut) && !cut.isEmpty && cut.count < body.count)
            #expect(counted <= limit && isShortened(iOS))
            let next = try String(
                decoding: JSONEncoder().encode([String(body.dropFirst(cut.count).prefix(1))]), as: UTF8.self)
            // The size does not include the four characters that surround the string in an array.
            #expect(counted + next.utf8.count - 4 > limit, "the next character would have fitted")
            let (other, size) = try rendered(try android(content(title: "T", body: body), limit: limit))
            #expect(body.hasPrefix(try self.body(other)) && size <= limit)
        }
    }

    @Test(arguments: texts)
    func `a personalised body is shortened only for devices with long values`(text: String) throws {
        let escaped = try String(decoding: JSONEncoder().encode(["name": text]), as: UTF8.self)
        for limit in 180...200 {
            for template in [
                try apns(content(title: "T", body: "{{name}} and more"), limit: limit),
                try android(content(title: "T", body: "{{name}} and more"), limit: limit),
            ] {
                let (short, _) = try rendered(template, #"{"name":"Ada"}"#)
                #expect(try body(short) == "Ada and more" && !isShortened(template, #"{"name":"Ada"}"#))
                let (json, counted) = try rendered(template, escaped)
                let cut = try body(json)
                #expect("\(text) and more".hasPrefix(cut) && !cut.isEmpty)
                #expect(counted <= limit && isShortened(template, escaped))
            }
        }
    }

    @Test func `a title is shortened if shortening the body is not enough`() throws {
        let long = String(repeating: "t", count: 300)
        let (json, counted) = try rendered(try apns(content(title: long, body: "body")))
        #expect(try alert(json)["body"] == nil && counted <= 200)
        #expect(try #require(try alert(json)["title"]).count > 50)
        let (personal, size) = try rendered(
            try apns(content(title: "{{name}}", body: "body")), #"{"name":"\#(long)"}"#)
        #expect(try alert(personal)["body"] == "" && size <= 200)
        #expect(try #require(try alert(personal)["title"]).count > 50)
    }

    @Test func `content that cannot be shortened enough, or that forbids shortening, is refused`() throws {
        let long = String(repeating: "v", count: 300)
        for content in [
            content(title: "T", body: "body", variables: ["a": long]),
            content(title: "T", body: long, shortens: false),
            content(title: "T", body: "{{name|friend}}", variables: ["a": long]),
        ] {
            #expect(throws: PayloadError.self) { try apns(content) }
            #expect(throws: PayloadError.self) { try android(content) }
        }
        let template = try apns(content(title: "T", body: "b", variables: ["a": "{{name}}"]))
        let rendered = template.rendered(
            identity: OpaqueID(high: 1, low: 2), integerID: 3, parameters: Array(#"{"name":"\#(long)"}"#.utf8)
        )
        guard case .tooLarge = rendered else {
            Issue.record("\(rendered)")
            return
        }
    }

    @Test func `each language is shortened separately`() throws {
        var base = content(title: "T", body: "short")
        let long = content(title: "T", body: String(repeating: "é", count: 300))
        base = base.with([LanguageContent(language: try #require(LanguageTag("fr")), content: long)])
        let template = try apns(base)
        func filling(_ language: String) -> String {
            String(decoding: MessageFilling.bytes(language: language, parameters: []), as: UTF8.self)
        }
        #expect(isShortened(template, filling("fr")) && !isShortened(template, filling("de")))
    }
}
