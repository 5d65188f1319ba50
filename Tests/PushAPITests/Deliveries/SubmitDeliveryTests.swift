import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct SubmitDeliveryTests {
    private static func submit(_ changes: [String: Any], to instance: TestInstance) throws
        -> SubmittedDelivery
    {
        try instance.operations.carryOut(try TestInstance.submission(changes))
    }

    @Test(
        arguments: [
            (["all": true], []), (["tokens": [TestInstance.token(9)]], []), (["userKeys": ["user9"]], []),
            (["where": ["town": "Paris", "city": "Paris"]], ["town"]),
        ] as [([String: any Sendable], [String])])
    func `a delivery whose target matches nothing is refused, unless the document allows it`(
        target: [String: any Sendable], strange: [String]
    ) throws {
        let instance = try TestInstance.withApp()
        if target["all"] == nil { try instance.subscribe(2, parameters: #"{"city":"Paris"}"#) }
        let error = #expect(throws: OperationError.self) {
            try Self.submit(["target": target, "allowEmpty": false], to: instance)
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix("sale.json: target: the target contains no subscriber") == true)
        #expect(error?.description.contains("no subscriber has a parameter") == !strange.isEmpty)
        for name in strange { #expect(error?.description.contains("\"\(name)\"") == true) }
        #expect(error?.description.contains("\"city\"") == false)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)

        let allowed = try Self.submit(["target": target], to: instance)
        #expect(allowed.warnings.count == 1)
    }

    @Test(
        arguments: [
            ["all": true], ["tokens": [TestInstance.token(9), TestInstance.token(2)]],
            ["userKeys": ["u", "user1"]],
            ["where": ["city": "Paris"]],
        ] as [[String: any Sendable]])
    func `a target that matches something is accepted, even if all matching devices are excluded`(
        target: [String: any Sendable]
    )
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","price":"99"}"#)
        let first = try Self.submit(["target": target, "allowEmpty": false], to: instance)
        #expect(first.warnings.isEmpty)
        try instance.refuse(first.id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        #expect(try Self.submit(["target": target, "allowEmpty": false], to: instance).warnings.isEmpty)
    }

    @Test func `a validity that ends before the first retry causes a warning`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let short = try Self.submit(["schedule": ["validity": "30m"]], to: instance)
        #expect(short.warnings.count == 1)
        #expect(short.warnings.first?.contains("1h after the first attempt") == true)
        let own = try Self.submit(
            ["schedule": ["validity": "30m"], "retry": ["period": "10m"]], to: instance)
        #expect(own.warnings.isEmpty)
        #expect(try Self.submit(["schedule": ["validity": "1h"]], to: instance).warnings.isEmpty)
        // Without retries on the first day, the first retry comes after one day.
        let daily = try Self.submit(["schedule": ["validity": "2h"], "retry": ["count": 0]], to: instance)
        #expect(daily.warnings.first?.contains("1d after") == true)
    }

    @Test func `a start in the past causes a warning`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let late = try Self.submit(["schedule": ["start": "2020-01-01T00:00:00Z"]], to: instance)
        #expect(
            late.warnings
                == [
                    "schedule.startAt: 2020-01-01T00:00:00Z is in the past; the delivery and its validity begin at once"
                ])
        #expect(try Self.submit(["schedule": ["start": "2099-01-01T00:00:00Z"]], to: instance).warnings == [])
    }

    @Test func `a delivery without apps goes to all apps of the service, each with its declared variables`()
        throws
    {
        let instance = try TestInstance.withApp()
        var droid = TestInstance.stubApp("droid", platform: .android)
        droid.variables = [.init(name: "price", defaultValue: nil)]
        _ = try instance.operations.carryOut(droid)
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", defaultValue: nil)]))
        let content: [String: Any] = ["title": "x", "variables": ["screen": "offers", "price": "99"]]
        let submitted = try Self.submit(["apps": NSNull(), "content": content], to: instance)
        let order = try #require(try instance.store.deliveries.delivery(submitted.id)).order
        #expect(order.apps.count == 2)

        let typo: [String: Any] = ["title": "x", "variables": ["screen": "s", "price": "1", "prize": "2"]]
        let error = #expect(throws: OperationError.self) {
            try Self.submit(["apps": NSNull(), "content": typo], to: instance)
        }
        #expect(error?.description.contains("no app of the delivery declares \"prize\"") == true)
        let missing: [String: Any] = ["title": "x", "variables": ["screen": "s"]]
        let lacking = #expect(throws: OperationError.self) {
            try Self.submit(["apps": NSNull(), "content": missing], to: instance)
        }
        #expect(lacking?.description.contains("app droid") == true)
    }

    // MARK: Keys

    private static func keyed(
        _ key: String, _ changes: [String: Any] = [:], caller: String = "command"
    ) throws -> SubmitDelivery {
        var order = try TestInstance.submission(changes)
        (order.idempotencyKey, order.caller) = (key, caller)
        return order
    }

    @Test func `the same delivery with the same key receives the first answer, whatever has changed since`()
        throws
    {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        // The target matches no subscriber, so there is a warning.
        let first = try operations.carryOut(try Self.keyed("k"))
        #expect(!first.isRepeated && first.warnings.count == 1)
        var again = first
        again.isRepeated = true
        try instance.subscribe(1)
        #expect(try operations.carryOut(try Self.keyed("k")) == again)
        _ = try operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", defaultValue: nil)]))
        #expect(throws: OperationError.self) { try operations.carryOut(try TestInstance.submission()) }
        #expect(try operations.carryOut(try Self.keyed("k")) == again)
        // The formatting of the document makes no difference.
        var other = try Self.keyed("k")
        guard case .object(let members) = try JSONParser.parse(other.document) else {
            Issue.record("no object")
            return
        }
        other.document = Array(JSONValue.object(members.reversed()).text.utf8)
        #expect(try operations.carryOut(other) == again)
        #expect(try operations.carryOut(ListDeliveries()).items.count == 1)
    }

    @Test func `another delivery with the same key is a conflict, reported in one line`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let target: [String: Any] = ["target": NSNull()]
        var listed = try Self.keyed("k", target)
        listed.userKeys = ["anna"]
        #expect(try operations.carryOut(listed).id == DeliveryID(rawValue: 1))
        #expect(try operations.carryOut(listed).isRepeated)
        listed.userKeys = ["bert"]
        for other in [listed, try Self.keyed("k")] {
            let error = failure { () throws(OperationError) in _ = try operations.carryOut(other) }
            #expect(error?.kind == .conflict && error?.lines.count == 1)
        }
        #expect(try operations.carryOut(try Self.keyed("k", caller: "token a")).id.rawValue == 2)
        #expect(try operations.carryOut(try Self.keyed("k", caller: "token b")).id.rawValue == 3)
    }

    @Test(arguments: ["", "ü", "a\tb", String(repeating: "k", count: 256)])
    func `a key is printable ASCII of at most 255 bytes`(key: String) throws {
        let instance = try TestInstance.withApp()
        let error = #expect(throws: OperationError.self) {
            try instance.operations.carryOut(try Self.keyed(key))
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("1 to 255 printable ASCII") == true)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
        let longest = String(repeating: "k", count: 255)
        #expect(try !instance.operations.carryOut(try Self.keyed(longest)).isRepeated)
    }

    @Test func `the same key can be used for a message and for a delivery`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let message =
            #"{"app": "ios", "userKey": "user1", "content": {"title": "x"}, "idempotencyKey": "k"}"#
        let sent = try instance.operations.carryOut(
            SendMessages(document: Array(message.utf8), caller: "command"))
        #expect(sent.messages.first?.fault == nil)
        #expect(try !instance.operations.carryOut(try Self.keyed("k")).isRepeated)
    }
}
