import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

/// Tests of the payloads that devices of several languages receive for one content.
@Suite struct LanguagePayloadTests {
    private func content(_ tags: [String], type: AndroidContent.Kind = .data) throws -> Content {
        var base = Content(title: "other")
        base.android.type = type
        return base.with(
            try tags.map { tag in
                var own = base
                own.title = tag
                return LanguageContent(language: try #require(LanguageTag(tag)), content: own)
            })
    }

    private func apns(_ content: Content, limitBytes: Int = 4_096) throws -> PayloadTemplate {
        try PayloadTemplate.apns(
            content: content, variables: [], delivery: DeliveryID(rawValue: 7), tracking: false,
            idFormat: .uuid, limitBytes: limitBytes)
    }

    private func rendered(
        _ template: PayloadTemplate, _ language: String, _ parameters: String = ""
    ) -> PayloadTemplate.Rendered {
        template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 42, token: Array("token".utf8), secondsToLive: 60,
            parameters: MessageFilling.bytes(language: language, parameters: Array(parameters.utf8)))
    }

    private func text(_ rendered: PayloadTemplate.Rendered) throws -> String {
        String(decoding: try #require(rendered.bytes), as: UTF8.self)
    }

    @Test(arguments: [
        ("fr", "fr"), ("FR", "fr"), ("fr-FR", "fr"), ("fr_FR", "fr"), ("fr-ca", "fr-CA"), ("fr_CA", "fr-CA"),
        ("fr-CA-x-y", "fr-CA"), ("fra", "other"), ("f", "other"), ("", "other"), ("en", "other"),
        ("zh-Hans-CN", "zh-Hans"), ("zh_Hans", "zh-Hans"), ("zh", "other"), ("zh-Hant-TW", "other"),
        ("fr_FR@calendar=gregorian", "fr"), ("fr_FR.UTF-8", "fr"), ("fr.UTF-8", "fr"), ("iw_IL", "he"),
        ("he", "he"), ("nb-NO", "no"), ("no", "no"), ("-", "other"), ("\u{1F600}", "other"),
    ])
    func `a device gets its language, or a shorter form of the language, or the default text`(
        device: String, wanted: String
    ) throws {
        let template = try apns(try content(["fr", "fr-CA", "zh-Hans", "he", "no"]))
        #expect(try text(rendered(template, device)) == #"{"aps":{"alert":{"title":"\#(wanted)"}}}"#)
        let filling = MessageFilling.bytes(language: device, parameters: [])
        #expect(template.language(of: filling)?.text ?? "other" == wanted)
        #expect(template.isPersonalised && !template.isSameForAll)
    }

    @Test(arguments: [
        ("iw_IL", "he-IL"), ("he-IL", "he-IL"), ("iw-IL-x", "he-IL"), ("iw", "other"), ("iwi-IL", "other"),
        ("nb-NO", "no-NO"), ("no_NO", "no-NO"), ("nb", "other"), ("in_ID", "in-ID"), ("id-ID", "in-ID"),
        ("tl-PH", "tl-PH"), ("fil-PH", "fil-PH"), ("fil_PH.UTF-8", "fil-PH"),
    ])
    func `a language with two names matches under either name`(device: String, wanted: String) throws {
        let template = try apns(try content(["he-IL", "no-NO", "in-ID", "tl-PH", "fil-PH"]))
        #expect(try text(rendered(template, device)) == #"{"aps":{"alert":{"title":"\#(wanted)"}}}"#)
    }

    @Test(arguments: AndroidEnvelope.Interface.allCases)
    func `Android devices get their language in individual messages, over both interfaces`(
        interface: AndroidEnvelope.Interface
    ) throws {
        for type in [AndroidContent.Kind.data, .notification] {
            let template = try PayloadTemplate.android(
                content: try content(["fr"], type: type), variables: [], delivery: DeliveryID(rawValue: 7),
                tracking: false, idFormat: .uuid, envelope: AndroidEnvelope(interface))
            #expect(!template.takesTokenList)
            #expect(try text(rendered(template, "fr_FR")).contains(#""title":"fr""#))
            #expect(try text(rendered(template, "de")).contains(#""title":"other""#))
            #expect(try text(rendered(template, "de")).contains(#""token""#))
        }
    }

    @Test func `each language must fit the limit, and the error names a language that does not`() throws {
        var long = Content(title: String(repeating: "x", count: 200))
        let content = Content(title: "short").with([
            LanguageContent(language: try #require(LanguageTag("de")), content: long)
        ])
        let size = try apns(long).widestBytes
        #expect(try apns(content, limitBytes: size).widestBytes == size)
        #expect(
            throws: PayloadError.language(
                try #require(LanguageTag("de")), .tooLong(bytes: size, limit: size - 1))
        ) { try apns(content, limitBytes: size - 1) }
        long.title = "{{"
        #expect(throws: PayloadError.self) {
            try apns(
                Content(title: "a").with([
                    LanguageContent(language: try #require(LanguageTag("de")), content: long)
                ]))
        }
    }

    @Test
    func `a missing parameter is reported by name for each language, and each language has its own size`()
        throws
    {
        let content = Content(title: "{{a}}").with([
            LanguageContent(language: try #require(LanguageTag("fr")), content: Content(title: "{{b}} {{c}}"))
        ])
        let template = try apns(content)
        #expect(rendered(template, "en", #"{"b":"x"}"#) == .missing(parameter: "a"))
        #expect(rendered(template, "fr", #"{"a":"x"}"#) == .missing(parameter: "b"))
        #expect(rendered(template, "fr", #"{"b":"x"}"#) == .missing(parameter: "c"))
        let filling = MessageFilling.bytes(language: "fr", parameters: Array(#"{"b":"x","c":"y"}"#.utf8))
        let bytes = try #require(rendered(template, "fr", #"{"b":"x","c":"y"}"#).bytes)
        #expect(
            template.countedBytes(of: bytes.count, token: [], secondsToLive: 0, filling: filling)
                == bytes.count)
    }

    @Test func `a language that no device requests is ignored`() throws {
        let template = try apns(Content(title: "{{a}}"))
        #expect(try text(rendered(template, "fr", #"{"a":"x"}"#)) == #"{"aps":{"alert":{"title":"x"}}}"#)
    }
}
