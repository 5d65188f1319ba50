import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import TestSupport
import Testing

/// Tests which contents are refused or reported at submission because of the target apps.
struct ContentAtSubmissionTests {
    /// Creates an instance with app `ios`, which sends nothing, one app with the binary connector and one
    /// with FCM's legacy interface.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        var binary = TestInstance.stubApp("old")
        (binary.connector, binary.bundleId) = ("ios", "com.example.neotrips")
        binary.credential = try .certificate()
        var http2 = TestInstance.stubApp("certified")
        (http2.connector, http2.bundleId) = ("iosHTTP2", "com.example.neotrips")
        http2.credential = binary.credential
        var legacy = TestInstance.stubApp("droid", platform: .android)
        legacy.connector = "androidPushConnectorV2"
        legacy.credential = try .projectKey()
        _ = try instance.operations.carryOut(binary)
        _ = try instance.operations.carryOut(http2)
        _ = try instance.operations.carryOut(legacy)
        _ = try instance.operations.carryOut(TestInstance.stubApp("play", platform: .android))
        for app in ["ios", "old", "certified", "droid", "play"] { try instance.subscribe(1, to: app) }
        return instance
    }

    private static func warnings(
        _ content: [String: Any], to apps: [String], in instance: TestInstance
    ) throws -> [String] {
        try instance.operations.carryOut(try TestInstance.submission(["content": content, "apps": apps]))
            .warnings
    }

    private static func refusal(
        _ content: [String: Any], to apps: [String], in instance: TestInstance
    ) -> String? {
        do {
            _ = try warnings(content, to: apps, in: instance)
            return nil
        } catch { return "\(error)" }
    }

    @Test func `texts in a silent push are refused unless an Android app receives them`() throws {
        let instance = try Self.instance()
        for key in ["title", "body"] {
            let content: [String: Any] = [key: "x", "ios": ["type": "silent"]]
            let refusal = try #require(Self.refusal(content, to: ["ios", "old"], in: instance))
            #expect(refusal.hasPrefix("sale.json: content.\(key): a silent push is not shown"))
            #expect(try Self.warnings(content, to: ["ios", "play"], in: instance).isEmpty)
        }
        #expect(try Self.warnings(["ios": ["type": "silent"]], to: ["ios"], in: instance).isEmpty)
    }

    @Test func `apps with the same settings are checked together, and each has its warning`() throws {
        let instance = try TestInstance.withApp()
        for (name, sounds) in [("second", []), ("ringing", ["ping"]), ("third", [])] as [(String, [String])] {
            var app = TestInstance.stubApp(name)
            app.fields.sounds = sounds.map { AppSound(internalName: $0, label: "") }
            _ = try instance.operations.carryOut(app)
        }
        let apps = ["third", "ringing", "ios", "second"]
        for app in apps { try instance.subscribe(1, to: app) }
        let ping: [String: Any] = ["title": "x", "ios": ["sound": "ping"]]
        let warnings = try Self.warnings(ping, to: apps, in: instance)
        #expect(warnings.map { String($0.prefix { $0 != ":" }) } == ["app third", "app ios", "app second"])
        #expect(warnings.allSatisfy { $0.contains("sound \"ping\"") })
        let refusal = Self.refusal(
            ["title": String(repeating: "x", count: 5_000)], to: apps, in: instance)
        #expect(refusal?.hasPrefix("sale.json: app third: ") == true, "\(refusal ?? "")")
    }

    @Test func `content that a connector cannot send is refused with the app's name`() throws {
        let instance = try Self.instance()
        func refused(_ ios: [String: Any], _ app: String) -> String {
            var content: [String: Any] = ["ios": ios]
            if ios["type"] == nil { content["title"] = "x" }
            return Self.refusal(content, to: [app], in: instance) ?? ""
        }
        #expect(
            refused(["type": "voip"], "old").contains("content.ios.type: app old uses the binary connector"))
        #expect(refused(["priority": 1], "old").contains("content.ios.priority: app old"))
        #expect(refused(["priority": 5], "old").isEmpty)
        #expect(refused(["type": "location"], "certified").contains("app certified has a certificate"))
        #expect(refused(["type": "location"], "ios").isEmpty)
        #expect(refused(["type": "voip"], "certified").isEmpty)
    }

    @Test func `an option that an app's gateway does not support causes a warning`() throws {
        let instance = try Self.instance()
        let collapsing: [String: Any] = ["title": "x", "ios": ["collapseId": "c"]]
        #expect(
            try Self.warnings(collapsing, to: ["ios", "old"], in: instance)
                == ["app old: the binary connector does not support content.ios.collapseId: it is not sent"])
        let shown: [String: Any] = [
            "title": "x",
            "android": ["type": "notification", "ticker": "t", "directBootOk": true, "icon": "i"],
        ]
        #expect(
            try Self.warnings(shown, to: ["droid", "play"], in: instance) == [
                "app droid: FCM's legacy interface does not support content.android.directBootOk, "
                    + "content.android.ticker: not sent"
            ])
        let data: [String: Any] = [
            "title": "x", "android": ["ticker": "t", "directBootOk": true, "icon": "i"],
        ]
        #expect(
            try Self.warnings(data, to: ["play"], in: instance) == [
                "app play: a data message does not support content.android.icon, content.android.ticker: "
                    + "not sent, because the app decides how to show the message"
            ])
    }

    @Test func `a sound that neither the device nor the app provides causes a warning`() throws {
        let instance = try Self.instance()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", sounds: [.init(internalName: "chime.caf", label: "Chime")]))
        func told(_ content: [String: Any], _ app: String) throws -> Int {
            try Self.warnings(content.merging(["title": "x"]) { old, _ in old }, to: [app], in: instance)
                .count
        }
        #expect(try told(["ios": ["sound": "default"]], "ios") == 0)
        #expect(try told(["ios": ["sound": "chime.caf"]], "ios") == 0)
        #expect(try told(["ios": ["sound": ["name": "chime.caf", "volume": 50]]], "ios") == 0)
        #expect(try told(["ios": ["sound": "Chime.caf"]], "ios") == 1)
        #expect(try told(["ios": ["sound": ["name": "alarm"]]], "ios") == 1)
        #expect(try told(["ios": ["sound": "alarm"]], "play") == 0)
        #expect(try told(["android": ["type": "notification", "sound": "alarm"]], "play") == 1)
        #expect(try told(["android": ["type": "notification", "sound": "default"]], "play") == 0)
    }

    @Test func `a category that the app does not declare causes a warning`() throws {
        let instance = try Self.instance()
        let content: [String: Any] = ["title": "x", "ios": ["category": "offer"]]
        #expect(
            try Self.warnings(content, to: ["ios", "play"], in: instance) == [
                "app ios: category \"offer\" is not a category that the app declares"
            ])
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", categories: [.init(internalName: "offer", label: "Offer")]))
        #expect(try Self.warnings(content, to: ["ios", "play"], in: instance) == [])
        let shown = try instance.operations.carryOut(ShowApp(name: "ios")).app
        #expect(shown.categories == [.init(internalName: "offer", label: "Offer")])
        _ = try instance.operations.carryOut(UpdateApp(name: "ios", removedCategories: ["offer"]))
        #expect(try Self.warnings(content, to: ["ios"], in: instance).count == 1)
    }

    @Test func `media that no extension of the app would show cause a warning`() throws {
        let instance = try Self.instance()
        func told(_ ios: [String: Any], url: String = "https://example.com/a.jpg") throws -> [String] {
            try Self.warnings(
                ["title": "x", "variables": ["mediaUrl": url], "ios": ios], to: ["ios", "play"], in: instance)
        }
        let warning = try #require(try told([:]).first)
        #expect(
            warning.hasPrefix("app ios: iOS does not show the media of variable mediaUrl")
                && warning.contains("content.ios.mutableContent or content.ios.category"))
        #expect(try told([:]).count == 1 && told(["mutableContent": true]) == [])
        #expect(try told([:], url: "") == [])
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", categories: [.init(internalName: "offer", label: "Offer")]))
        #expect(try told(["category": "offer"]) == [])
        // An app that declares variables does not receive others.
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "url", defaultValue: nil, isOptional: true)]))
        #expect(try told([:]) == [])
    }

    @Test func `rich options cause a warning for an app with the binary connector`() throws {
        let instance = try Self.instance()
        let content: [String: Any] = [
            "title": "x", "variables": ["mediaUrl": "https://example.com/a.jpg"],
            "ios": ["subtitle": "s", "mutableContent": true],
        ]
        #expect(
            try Self.warnings(content, to: ["ios", "old"], in: instance) == [
                "app old: rich notifications and subtitles need connector iosHTTP2; behind a gateway of the "
                    + "binary protocol, devices may not show content.ios.subtitle, "
                    + "content.ios.mutableContent, variable mediaUrl"
            ])
        #expect(try Self.warnings(["title": "x", "ios": ["badge": 1]], to: ["old"], in: instance) == [])
    }

    @Test func `Android content without a text is refused unless it is silent`() throws {
        let instance = try Self.instance()
        for content in [["variables": ["v": "1"]], ["ios": ["badge": 1]], ["title": ""]] as [[String: Any]] {
            let refusal = try #require(Self.refusal(content, to: ["play"], in: instance))
            #expect(
                refusal.hasPrefix(
                    "sale.json: content: a data message needs a title or a body, because the devices of app "
                        + "play would show nothing"))
            #expect(refusal.contains(#"set android.type to "silent""#))
        }
        let allowed: [[String: Any]] = [
            ["variables": ["v": "1"], "android": ["type": "silent"]],
            ["variables": ["v": "1"], "ios": ["type": "silent"]], ["variables": ["title": "1"]],
            ["body": "x"],
        ]
        for content in allowed {
            #expect(try Self.warnings(content, to: ["play"], in: instance) == [], "\(content)")
        }
        let shown: [String: Any] = ["title": "x", "android": ["type": "silent"]]
        #expect(
            Self.refusal(shown, to: ["play"], in: instance)?.hasPrefix(
                "sale.json: content.title: a silent message is not shown") == true)
        #expect(try Self.warnings(shown, to: ["play", "ios"], in: instance) == [])
    }

    @Test func `the title of the Android tutorial and the title for iOS are in one delivery`() throws {
        let instance = try Self.instance()
        let content: [String: Any] = [
            "title": "Paris", "body": "from 99 EUR", "variables": ["title": "Paris!", "sub": "Sale"],
        ]
        let document = try TestInstance.submission(["content": content, "apps": ["ios", "play"]]).document
        let preview = try instance.operations.carryOut(
            PreviewDelivery(document: document, documentName: "sale.json", who: .userKey("user1")))
        let payloads = preview.devices.compactMap { $0.message?.payload }
        #expect(payloads.contains { $0.contains(#""alert":{"title":"Paris","body""#) })
        let android = try #require(payloads.first { $0.contains(#""_msg":"from 99 EUR""#) })
        #expect(android.contains(#""title":"Paris!""#) && !android.contains(#""Paris""#))
    }

    @Test func `an optional variable needs no value, and a value that is not text is refused`() throws {
        let instance = try Self.instance()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "url", defaultValue: nil, isOptional: true)]))
        #expect(try Self.warnings(["title": "x"], to: ["ios"], in: instance) == [])
        for value in [7, 1.5, true, ["a"], ["a": 1], NSNull()] as [Any] {
            let content: [String: Any] = ["title": "x", "variables": ["url": value]]
            #expect(
                Self.refusal(content, to: ["ios"], in: instance)?.contains(
                    "content.variables.url: must be a string") == true)
        }
        let both = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                UpdateApp(name: "ios", variables: [.init(name: "a", defaultValue: "b", isOptional: true)]))
        }
        #expect(both?.lines.first?.hasPrefix("variable a is optional and has a default") == true)
    }
}
