import Foundation
import GatewayAPNs
import PushModel
import PushPayload
import TestSupport
import Testing

@Suite struct PayloadTemplateAPNsTests {
    private let identity = OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    private func compile(_ content: Content, variables: [AppVariable] = [], tracking: Bool = false) throws
        -> PayloadTemplate
    {
        try PayloadTemplate.apns(
            content: content, variables: variables, delivery: DeliveryID(rawValue: 77), tracking: tracking,
            idFormat: .uuid)
    }

    private func payload(_ content: Content, variables: [AppVariable] = [], tracking: Bool = false) throws
        -> String
    {
        let template = try compile(content, variables: variables, tracking: tracking)
        return String(
            decoding: try #require(template.rendered(identity: identity, integerID: 1).bytes), as: UTF8.self)
    }

    @Test func `every field is at the place where Apple expects it`() throws {
        var content = Content(title: "T", body: "B", variables: ["b": "2", "a": "1"])
        content.ios.subtitle = "S"
        content.ios.launchImage = "L"
        content.ios.badge = 0
        content.ios.sound = .named("default")
        content.ios.category = "C"
        content.ios.mutableContent = true
        content.ios.contentAvailable = true
        content.ios.threadID = "H"
        content.ios.targetContentID = "G"
        content.ios.interruptionLevel = .timeSensitive
        content.ios.relevanceScore = 0.25
        #expect(
            try payload(content, tracking: true)
                == #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B","#
                + #""launch-image":"L"},"badge":0,"sound":"default","category":"C","mutable-content":1,"#
                + #""content-available":1,"thread-id":"H","target-content-id":"G","#
                + #""interruption-level":"time-sensitive","relevance-score":0.25},"#
                + #""_mId":"01234567-89ab-cdef-fedc-ba9876543210","_dId":"77","a":"1","b":"2"}"#)
    }

    @Test(arguments: [(0, "0"), (7, "0.07"), (10, "0.1"), (55, "0.55"), (100, "1")])
    func `the percentage of a critical sound becomes Apple's fraction`(volume: Int, fraction: String) throws {
        var content = Content()
        content.ios.sound = .critical(name: "alarm", volume: volume)
        #expect(
            try payload(content) == #"{"aps":{"sound":{"critical":1,"name":"alarm","volume":\#(fraction)}}}"#)
    }

    @Test func `a silent push wakes the app and shows nothing`() throws {
        var content = Content(title: "for Android", body: "alone", variables: ["v": "1"])
        content.ios.type = .silent
        #expect(try payload(content) == #"{"aps":{"content-available":1},"v":"1"}"#)
    }

    @Test func `a badge or a sound alone is sufficient content, and an empty content is refused`() throws {
        var badge = Content()
        badge.ios.badge = 3
        #expect(try payload(badge) == #"{"aps":{"badge":3}}"#)
        #expect(throws: PayloadError.nothingToShow) { try payload(Content(title: "", variables: ["v": "1"])) }
        var image = Content()
        image.ios.launchImage = "L"
        #expect(throws: PayloadError.nothingToShow) { try payload(image) }
    }

    @Test func `an app's defaults fill omitted variables, and values in the delivery take precedence`() throws
    {
        let declared = [
            AppVariable(name: "lang", defaultValue: "en"), AppVariable(name: "color", defaultValue: "red"),
            AppVariable(name: "url", defaultValue: nil),
        ]
        let content = Content(body: "x", variables: ["url": "u", "color": "blue"])
        #expect(
            try payload(content, variables: declared)
                == #"{"aps":{"alert":{"body":"x"}},"color":"blue","lang":"en","url":"u"}"#)
    }

    @Test func `the error for a required variable without a value names the variable`() {
        let declared = [AppVariable(name: "b", defaultValue: nil), AppVariable(name: "a", defaultValue: nil)]
        #expect(throws: PayloadError.variablesMissing(["a", "b"])) {
            try payload(Content(body: "x"), variables: declared)
        }
    }

    @Test func `an app that declares variables accepts no others, and an app that declares none accepts any`()
        throws
    {
        let content = Content(body: "x", variables: ["other": "1"])
        #expect(
            try payload(content, variables: [AppVariable(name: "a", defaultValue: "2")])
                == #"{"aps":{"alert":{"body":"x"}},"a":"2"}"#)
        #expect(try payload(content) == #"{"aps":{"alert":{"body":"x"}},"other":"1"}"#)
    }

    @Test(arguments: ["aps", "_mId", "_dId"])
    func `a variable must not use a name that Apple or the SDK reads`(name: String) {
        #expect(throws: PayloadError.variablesReserved([name], .ios)) {
            try payload(Content(body: "x", variables: [name: "1"]))
        }
        #expect(throws: PayloadError.variablesReserved([name], .ios)) {
            try payload(Content(body: "x"), variables: [AppVariable(name: name, defaultValue: "1")])
        }
    }

    @Test func `a VoIP push may be larger than other pushes`() throws {
        var content = Content(variables: ["v": String(repeating: "y", count: 4_200)])
        for type in IOSContent.Kind.allCases where type != .alert && type != .voip {
            content.ios.type = type
            #expect(throws: PayloadError.self) { try payload(content) }
        }
        content.ios.type = .voip
        #expect(try payload(content).hasPrefix(#"{"aps":{},"v":"yyy"#))
        let template = try compile(content)
        #expect(template.limitBytes == 5_120)
        content = Content(variables: ["v": String(repeating: "y", count: 5_121)])
        content.ios.type = .voip
        #expect(throws: PayloadError.self) { try payload(content) }
    }

    @Test(arguments: ["titleLocKey", "subtitleLocKey", "bodyLocKey"])
    func `a localisation key counts as visible text, and a button does not`(key: String) throws {
        var content = Content()
        content.ios.actionLocKey = "VIEW"
        #expect(throws: PayloadError.nothingToShow) { try payload(content) }
        switch key {
        case "titleLocKey": content.ios.titleLocKey = "K"
        case "subtitleLocKey": content.ios.subtitleLocKey = "K"
        default: content.ios.bodyLocKey = "K"
        }
        #expect(try payload(content).contains(#""action-loc-key":"VIEW""#))
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func `a relevance score that Apple would not accept is refused`(score: Double) {
        var content = Content(body: "x")
        content.ios.relevanceScore = score
        #expect(throws: PayloadError.outOfRange(path: "ios.relevanceScore", allowed: "0 to 1")) {
            try payload(content)
        }
    }

    @Test func `any content becomes a JSON object with the same values`() throws {
        var dice = SeededRandom(seed: 20_261_121)
        for _ in 0..<2_000 {
            var content = Content(
                title: dice.text(atMost: 20), body: "·" + dice.text(atMost: 60),
                variables: [
                    "one" + dice.text(atMost: 5): dice.text(atMost: 30), "two": dice.text(atMost: 30),
                ])
            content.ios.subtitle = Bool.random(using: &dice) ? dice.text(atMost: 9) : nil
            content.ios.badge = Bool.random(using: &dice) ? Int.random(in: 0...99_999, using: &dice) : nil
            content.ios.category = Bool.random(using: &dice) ? dice.text(atMost: 9) : nil
            // Eighths are exact. For other values, JSONSerialization returns a wrong last digit.
            content.ios.relevanceScore =
                Bool.random(using: &dice) ? Double.random(in: 0...8, using: &dice).rounded() / 8 : nil
            let ordinal = Int64.random(in: 1...2_147_483_647, using: &dice)
            let template = try PayloadTemplate.apns(
                content: content, variables: [], delivery: DeliveryID(rawValue: 77), tracking: true,
                idFormat: .integer)
            let bytes = try #require(template.rendered(identity: identity, integerID: ordinal).bytes)
            #expect(bytes.count <= template.widestBytes)

            let root = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let aps = try #require(root["aps"] as? [String: Any])
            let alert = try #require(aps["alert"] as? [String: String])
            #expect(scalars(alert["title"]) == scalars(content.title?.isEmpty == true ? nil : content.title))
            #expect(scalars(alert["body"]) == scalars(content.body))
            #expect(
                scalars(alert["subtitle"])
                    == scalars(content.ios.subtitle?.isEmpty == true ? nil : content.ios.subtitle))
            #expect(aps["badge"] as? Int == content.ios.badge)
            #expect(scalars(aps["category"] as? String) == scalars(content.ios.category))
            #expect(aps["relevance-score"] as? Double == content.ios.relevanceScore)
            #expect(root["_mId"] as? String == String(ordinal))
            #expect(root["_dId"] as? String == "77")
            #expect(root.count == 5)
            for variable in content.variables {
                #expect(scalars(root[variable.name] as? String) == scalars(variable.value))
            }
        }
    }

    /// Returns the scalars of a text. Strings are compared by canonical equivalence; a gateway does not do
    /// this.
    private func scalars(_ text: String?) -> [Unicode.Scalar]? { text.map { Array($0.unicodeScalars) } }
}
