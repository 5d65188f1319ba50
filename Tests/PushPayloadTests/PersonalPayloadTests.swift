import Foundation
import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

/// Tests that render one content with the parameters of several subscribers.
@Suite struct PersonalPayloadTests {
    private func template(
        _ content: Content, _ platform: Platform = .ios, variables: [AppVariable] = [],
        interface: AndroidEnvelope.Interface = .httpV1, limitBytes: Int = 4_096
    ) throws -> PayloadTemplate {
        switch platform {
        case .ios:
            try PayloadTemplate.apns(
                content: content, variables: variables, delivery: DeliveryID(rawValue: 7), tracking: false,
                idFormat: .uuid, limitBytes: limitBytes)
        default:
            try PayloadTemplate.android(
                content: content, variables: variables, delivery: DeliveryID(rawValue: 7), tracking: true,
                idFormat: .integer, envelope: AndroidEnvelope(interface), limitBytes: limitBytes)
        }
    }

    private func rendered(_ template: PayloadTemplate, _ parameters: String) -> PayloadTemplate.Rendered {
        template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 42, token: Array("tok\"en".utf8),
            secondsToLive: 60, parameters: Array(parameters.utf8))
    }

    private func text(_ template: PayloadTemplate, _ parameters: String) throws -> String {
        String(decoding: try #require(rendered(template, parameters).bytes), as: UTF8.self)
    }

    private func body(_ text: String, _ parameters: String) throws -> String {
        let payload = try self.text(try template(Content(body: text)), parameters)
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(payload.utf8))
                as? [String: [String: [String: String]]])
        return try #require(root["aps"]?["alert"]?["body"])
    }

    @Test func `values of every length are inserted unchanged`() throws {
        for length in 1...40 {
            let value = String("0123456789abcdefghijklmnopqrstuvwxyzABCD".prefix(length))
            #expect(
                try body("<{{\(value)}}|{{other}}>", #"{"other":"\#(value)","\#(value)":"\#(length)"}"#)
                    == "<\(length)|\(value)>")
        }
    }

    @Test func `names beyond the maximum are refused, even if Swift considers two names equal`() throws {
        let names = (0..<33).flatMap { ["\u{e9}\($0)", "e\u{301}\($0)"] }
        func text(_ names: some Sequence<String>) -> String { names.map { "{{\($0)|}}" }.joined() }
        // A text can request a maximum of 64 parameters.
        #expect(throws: PayloadError.places(["the placeholders use 66 parameters; the maximum is 64"])) {
            try template(Content(title: text(names[..<33]), body: text(names[33...])))
        }
        #expect(try body(text(names.prefix(64)), "{\"\(names[63])\":\"last\"}") == "last")
    }

    @Test(arguments: [
        ("Hi {{name}}!", #"{"name":"Ada"}"#, "Hi Ada!"),
        ("Hi {{name}}!", #"{"first":"x","name":"Ada","last":"y"}"#, "Hi Ada!"),
        ("{{name|there}}", #"{}"#, "there"),
        // The variables of a recipient in a delivery follow the parameters of the recipient's subscription.
        ("{{name}} {{code}}", #"{"name":"Ada","city":"Ulm"}{"code":"7","name":"Bob"}"#, "Bob 7"),
        ("{{name}} {{code}}", #"{}{"code":"7","name":"Bob"}"#, "Bob 7"),
        ("{{name}} {{code}}", "\n\n{\"code\":\"7\",\"name\":\"Bob\"}", "Bob 7"),
        ("{{name}} {{code|-}}", #"{"name":"Ada"}x{"code":"7"}"#, "Ada -"),
        ("{{name}} {{code|-}}", #"{"name":"Ada",}{"code":"7"}"#, "Ada -"),
        ("{{name|there}}", #"{"name":""}"#, "there"),
        ("{{name|}}", "", ""),
        ("{{a}}{{b}}{{a}}", #"{"a":"1","b":"2"}"#, "121"),
        // Names that have the same first eight bytes, and a name at the end of the parameters.
        (
            "{{lastOrder|-}} {{lastOrderDay|-}} {{lastOrde|-}}",
            #"{"lastOrderDay":"2","lastOrde":"3","lastOrderTime":"4","lastOrder":"1"}"#, "1 2 3"
        ),
        ("{{a|-}}{{aa|-}}", #"{"aa":"2"}"#, "-2"),
        ("{{#vip}}Dear {{/vip}}you", #"{"vip":"true"}"#, "Dear you"),
        ("{{#vip}}Dear {{/vip}}you", #"{"vip":"false"}"#, "you"),
        ("{{#vip}}Dear {{/vip}}you", #"{"vip":"0"}"#, "you"),
        ("{{#vip}}Dear {{/vip}}you", #"{}"#, "you"),
        ("{{^vip}}Hi{{/vip}}{{#vip}}Dear{{/vip}}", #"{"vip":"1"}"#, "Dear"),
        ("{{^vip}}Hi{{/vip}}{{#vip}}Dear{{/vip}}", #"{}"#, "Hi"),
        ("{{#a}}[{{#b}}{{c|-}}{{/b}}]{{/a}}.", #"{"a":"x","b":"y"}"#, "[-]."),
        ("{{#a}}[{{#b}}{{c|-}}{{/b}}]{{/a}}.", #"{"a":"x"}"#, "[]."),
        ("{{#a}}[{{#b}}{{c|-}}{{/b}}]{{/a}}.", #"{"b":"y","c":"z"}"#, "."),
        ("{{{{name}} {{name}}", #"{"name":"x"}"#, "{{name}} x"),
        ("{{n}}", #"{"n":"\"quoted\" \\ \n tab\t"}"#, "\"quoted\" \\ \n tab\t"),
        ("{{n}}", #"{"n":"Zoë 👩‍👩‍👧 שלום \u00e9\ud83d\ude00"}"#, "Zoë 👩‍👩‍👧 שלום é😀"),
        ("{{n|\"d\"\\}}", "{}", "\"d\"\\"),
        ("{{a \"b\"}}", #"{"a \"b\"":"x"}"#, "x"),
        ("{{n}}", #" { "n" : "spaced" , "m" : "" } "#, "spaced"),
        ("{{n}}", #"{"n":"first","n":"last"}"#, "last"),
    ])
    func `parameters fill the placeholders`(text: String, parameters: String, wanted: String) throws {
        #expect(try body(text, parameters) == wanted)
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"name"#, #"{"name""#, #"{"name":"#, #"{"name":7}"#, #"{"name":"open"#,
        #"{"name":"\"#, #"{"nam":"x"}"#, #"{"names":"x"}"#, #"{"name":null}"#, "{\"name\":\"a\u{1}\"}",
        #"{"a":{"name":"x"}}"#, #"{"a":1,"name":"x"}"#,
    ])
    func `a device without a required parameter gets no message, and only an object has parameters`(
        parameters: String
    ) throws {
        let template = try template(Content(title: "T", body: "Hi {{name}}"))
        #expect(rendered(template, parameters) == .missing(parameter: "name"))
    }

    @Test func `a parameter is required only if its section is rendered`() throws {
        let template = try template(Content(body: "x{{#vip}}{{name}}{{/vip}}"))
        #expect(try text(template, "{}") == #"{"aps":{"alert":{"body":"x"}}}"#)
        #expect(rendered(template, #"{"vip":"1"}"#) == .missing(parameter: "name"))
    }

    @Test func `variables, their defaults, custom texts and arguments can contain placeholders too`() throws {
        var content = Content(
            body: "b", variables: ["given": "{{a}}"],
            custom: [CustomMember(name: "c", value: .text("<{{a}}>"))])
        content.ios.bodyLocKey = "K"
        content.ios.bodyLocArgs = ["{{a}}", "2"]
        let declared = [
            AppVariable(name: "given", defaultValue: nil),
            AppVariable(name: "own", defaultValue: "{{b|none}}"),
        ]
        #expect(
            try text(try template(content, variables: declared), #"{"a":"A"}"#)
                == #"{"aps":{"alert":{"body":"b","loc-key":"K","loc-args":["A","2"]}},"#
                + #""given":"A","own":"none","c":"<A>"}"#)
    }

    /// The renderer scans values eight bytes at a time.
    @Test func `the end of a value is found, whatever characters it contains`() throws {
        let template = try template(Content(body: "{{n}}|{{m}}"))
        let start = #"{"aps":{"alert":{"body":""#
        for length in 0..<26 {
            for place in 0...length {
                for special in ["", #"\""#, #"\\"#, #"\u00e9"#, "é", "\u{7F}", "🎈", "!", " "] {
                    let filler = String(repeating: "x", count: length - place)
                    let value = String(repeating: "a", count: place) + special + filler
                    guard !value.isEmpty else { continue }
                    let text = try text(template, #"{"n":"\#(value)","m":"z"}"#)
                    #expect(text.hasPrefix(start + value + "|z\""), "\(value)")
                }
                let broken = String(repeating: "a", count: place) + "\u{1F}bbbbbbbb"
                #expect(rendered(template, #"{"n":"\#(broken)","m":"z"}"#).bytes == nil)
                #expect(rendered(template, #"{"m":"z","n":"\#(broken.dropLast(8).dropLast())"#).bytes == nil)
            }
        }
    }

    @Test func `Android data is personalised, and parts that the gateway does not count are not counted`()
        throws
    {
        let plain = try template(Content(body: "AB"), .android)
        let personal = try template(Content(body: "{{n}}"), .android, limitBytes: plain.widestBytes)
        #expect(try text(personal, #"{"n":"AB"}"#) == (try text(plain, "")))
        // The id has two digits out of a possible ten, so there is room for eight more bytes.
        #expect(rendered(personal, #"{"n":"AB12345678"}"#).bytes != nil)
        #expect(
            rendered(personal, #"{"n":"AB123456789"}"#) == .tooLarge(bytes: plain.widestBytes + 1))
    }

    @Test func `a legacy message that is personalised is addressed to one device`() throws {
        let content = Content(body: "{{n}}")
        let template = try PayloadTemplate.android(
            content: content, variables: [], delivery: DeliveryID(rawValue: 7), tracking: false,
            idFormat: .uuid, envelope: AndroidEnvelope(.legacy))
        #expect(!template.isSameForAll)
        #expect(!template.takesTokenList)
        #expect(try text(template, #"{"n":"x"}"#).hasPrefix(#"{"to":"tok\"en","#))
    }

    @Test func `content that cannot be personalised is refused with its path`() throws {
        var content = Content(
            title: "{{", custom: [CustomMember(name: "c", value: .json(#"["{{a}}"]"#))])
        content.ios.collapseID = "{{a}}"
        content.android.collapseKey = "{{a}}"
        #expect(
            throws: PayloadError.places([
                "title: {{ at character 1: is not closed by }}",
                "custom.c: must not contain {{: it is the same for all messages of a delivery",
                "ios.collapseId: must not contain {{: it is the same for all messages of a delivery",
                "android.collapseKey: must not contain {{: it is the same for all messages of a delivery",
            ])
        ) { try template(content) }
        #expect(throws: PayloadError.places(["variables.d: {{ at character 1: does not name a parameter"])) {
            try template(Content(body: "x"), variables: [AppVariable(name: "d", defaultValue: "{{}}")])
        }
        var arguments = Content(body: "x")
        arguments.android.type = .notification
        arguments.android.bodyLocArgs = ["a", "{{b}}"]
        #expect(throws: Never.self) { try template(arguments, .android) }
        #expect(
            throws: PayloadError.places([
                "android.bodyLocArgs[1]: FCM's legacy interface does not support {{ here"
            ])
        ) { try template(arguments, .android, interface: .legacy) }
    }

    @Test func `content is refused only if no parameter values could make it small enough`() throws {
        let filler = String(repeating: "x", count: 90)
        let smallest = try template(Content(body: filler + "y")).widestBytes
        let content = Content(body: filler + "{{n}}{{#vip}}and much more{{/vip}}")
        let fitting = try template(content, limitBytes: smallest)
        #expect(fitting.widestBytes == smallest)
        #expect(rendered(fitting, #"{"n":"z"}"#).bytes?.count == smallest)
        #expect(rendered(fitting, #"{"n":"zz"}"#) == .tooLarge(bytes: smallest + 1))
        #expect(throws: PayloadError.tooLong(bytes: smallest, limit: smallest - 1)) {
            try template(content, limitBytes: smallest - 1)
        }
    }

    @Test func `a buffer that is too small is never overrun`() throws {
        let template = try template(Content(body: "Hi {{name}}"))
        let whole = try #require(rendered(template, #"{"name":"Ada"}"#).bytes)
        let parameters = Array(#"{"name":"Ada"}"#.utf8)
        for room in 0...whole.count {
            var buffer = [UInt8](repeating: 0x2A, count: whole.count + 1)
            let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe parameters.withUnsafeBytes { parameters in
                    unsafe template.render(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]),
                        identity: OpaqueID(high: 0, low: 0), integerID: 1, parameters: parameters)
                }
            }
            #expect(rendering == (room == whole.count ? .bytes(room) : .tooLarge(bytes: whole.count)))
            #expect(buffer[room...].allSatisfy { $0 == 0x2A })
        }
    }
}
