import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

/// Tests which contents are refused or reported at submission because of the target apps.
struct ContentAtSubmissionTests {
    private static func fixture(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).appending(path: "../../..").standardized
        return Array(try Data(contentsOf: tests.appending(path: "PushMTATests/Fixtures/\(name)")))
    }

    /// Creates an instance with app `ios`, which sends nothing, one app with the binary connector and one
    /// with FCM's legacy interface.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        var binary = TestInstance.stubApp("old")
        (binary.connector, binary.bundleId) = ("ios", "com.example.neotrips")
        binary.credential = CredentialFile(name: "c.pem", contents: .pem(try fixture("certificate.pem")))
        var http2 = TestInstance.stubApp("certified")
        (http2.connector, http2.bundleId) = ("iosHTTP2", "com.example.neotrips")
        http2.credential = binary.credential
        var legacy = TestInstance.stubApp("droid", platform: .android)
        legacy.connector = "androidPushConnectorV2"
        legacy.credential = CredentialFile(
            name: "key", contents: .projectKey(try fixture("project-key.txt")))
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
}
