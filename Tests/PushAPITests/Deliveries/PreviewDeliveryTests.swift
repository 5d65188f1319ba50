import Foundation
import PushAPI
import PushModel
import PushStore
import Testing

struct PreviewDeliveryTests {
    private static func preview(
        _ who: SubscriberName, app: String? = nil, _ changes: [String: Any] = [:]
    ) throws -> PreviewDelivery {
        PreviewDelivery(
            document: try TestInstance.submission(changes).document, documentName: "sale.json", who: who,
            app: app)
    }

    private static let both: [String: any Sendable] = ["apps": ["ios", "droid"]]

    /// Creates an instance with apps `ios` and `droid`, each with two subscribers that have the same user
    /// keys.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        for app in ["ios", "droid"] { try instance.subscribe(2, to: app) }
        return instance
    }

    @Test func `a person's devices are shown with the content that each would receive`() throws {
        let instance = try Self.instance()
        let operations = instance.operations
        let found = try operations.carryOut(try Self.preview(.userKey("user2"), Self.both))
        #expect(found.devices.map(\.app) == ["ios", "droid"] && found.warnings.isEmpty)
        #expect(found.devices.allSatisfy { $0.state == "valid" && $0.fault == nil && $0.userKey == "user2" })
        #expect(found.devices.allSatisfy { $0.token == TestInstance.token(2) })
        let (ios, droid) = (
            try #require(found.devices[0].message), try #require(found.devices[1].message)
        )
        #expect(
            ios.payload
                == #"{"aps":{"alert":{"title":"Hello"}},"_mId":"2147483647","_dId":"2147483647"}"#)
        #expect(ios.bytes == ios.payload.utf8.count && ios.limitBytes == 4_096)
        #expect(droid.payload.contains(TestInstance.token(2)) && droid.bytes < droid.payload.utf8.count)
        #expect(found.devices[1].headers.isEmpty)

        let one = try operations.carryOut(try Self.preview(.userKey("user2"), app: "droid", Self.both))
        #expect(one.devices == [found.devices[1]])
        let upper = TestInstance.token(1).uppercased()
        let device = try operations.carryOut(try Self.preview(.token(upper), app: "ios"))
        #expect(device.devices.map(\.userKey) == ["user1"])
        // A document whose recipients come from another source is accepted too.
        let bare = try operations.carryOut(try Self.preview(.userKey("user1"), ["target": NSNull()]))
        #expect(bare.devices.count == 1)
    }

    @Test func `a preview shows the headers that accompany a payload to APNs`() throws {
        let instance = try Self.instance()
        let content: [String: Any] = ["ios": ["type": "silent", "collapseId": "sale"]]
        let changes: [String: Any] = [
            "content": content, "schedule": ["start": "2026-11-22T12:00:00Z", "validity": "1h"],
        ]
        let found = try instance.operations.carryOut(try Self.preview(.userKey("user1"), changes))
        let headers = try #require(found.devices.first?.headers)
        let expiration = try #require(WallTime(utc: "2026-11-22T13:00:00Z")).secondsSince1970
        #expect(
            headers == [
                "apns-topic": "", "apns-push-type": "background", "apns-priority": "5",
                "apns-collapse-id": "sale", "apns-expiration": "\(expiration)",
            ])
    }

    @Test(
        arguments: [
            (["where": ["city": "Paris"]], false), (["where": ["city": "Rome"]], true),
            (["where": ["age": [">": 40]]], true), (["userKeys": ["user2"]], true),
            (["all": true, "exclude": ["userKeys": ["user1"]]], true), (["all": true], false),
            (["tokens": [TestInstance.token(1)]], false),
        ] as [([String: any Sendable], Bool)])
    func `a device outside the target is shown with a warning`(
        target: [String: any Sendable], isOutside: Bool
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","age":"30"}"#)
        let found = try instance.operations.carryOut(
            try Self.preview(.userKey("user1"), ["target": target]))
        #expect(found.devices.count == 1)
        #expect(
            found.warnings
                == (isOutside
                    ? ["app ios: the delivery's target leaves out 1 device that the preview shows"] : []))
    }

    @Test func `an excluded device is still shown, and is marked as excluded`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let found = try instance.operations.carryOut(try Self.preview(.userKey("user1")))
        #expect(found.devices.map(\.state) == ["quarantined"] && found.devices[0].message != nil)
    }

    @Test func `an unknown person, another app and a wrong document are each refused`() throws {
        let instance = try Self.instance()
        func refusal(_ order: PreviewDelivery) -> OperationError? {
            failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
        }
        let token = TestInstance.token(9)
        for who: SubscriberName in [.userKey("user9"), .userKey(""), .token(token), .token("")] {
            let error = refusal(try Self.preview(who, Self.both))
            #expect(error?.kind == .absent && error?.lines.count == 1)
            #expect(error?.description.contains(token) == false)
        }
        let other = refusal(try Self.preview(.userKey("user1"), app: "droid"))
        #expect(other?.kind == .absent)
        #expect(other?.description == "sale.json: the delivery does not include app droid; its apps are: ios")
        for changes: [String: any Sendable] in [
            ["strange": 1], ["apps": ["none"]], ["target": ["all": false]],
            ["content": ["title": String(repeating: "x", count: 5_000)]],
        ] {
            let error = refusal(try Self.preview(.userKey("user1"), changes))
            #expect(error?.kind == .refused && error?.description.hasPrefix("sale.json: ") == true)
        }
        let broken = PreviewDelivery(document: Array("{".utf8), documentName: "x", who: .userKey("user1"))
        #expect(refusal(broken)?.description.contains("not JSON") == true)
    }
}
