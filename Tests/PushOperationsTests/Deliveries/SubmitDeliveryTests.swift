import Foundation
import PushModel
import PushOperations
import PushStore
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
            (["where": ["city": "Rome"]], []), (["where": ["town": "Paris", "city": "Paris"]], ["town"]),
        ] as [([String: any Sendable], [String])])
    func `a target of nobody is refused, and sent where the document allows it`(
        target: [String: any Sendable], strange: [String]
    ) throws {
        let instance = try TestInstance.withApp()
        if target["all"] == nil { try instance.subscribe(2, parameters: #"{"city":"Paris"}"#) }
        let error = #expect(throws: OperationError.self) {
            try Self.submit(["target": target, "allowEmpty": false], to: instance)
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix("sale.json: target: nobody is in it") == true)
        #expect(error?.description.contains("no subscriber has a parameter") == !strange.isEmpty)
        for name in strange { #expect(error?.description.contains("\"\(name)\"") == true) }
        #expect(error?.description.contains("\"city\"") == false)
        #expect(try instance.operations.carryOut(ListDeliveries()).isEmpty)

        let allowed = try Self.submit(["target": target], to: instance)
        #expect(allowed.warnings.count == 1)
    }

    @Test(
        arguments: [
            ["all": true], ["tokens": [TestInstance.token(9), TestInstance.token(2)]],
            ["userKeys": ["u", "user1"]],
            ["where": ["city": "Paris"]],
        ] as [[String: any Sendable]])
    func `a target of somebody is taken, also where it is excluded`(target: [String: any Sendable]) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","price":"99"}"#)
        let first = try Self.submit(["target": target, "allowEmpty": false], to: instance)
        #expect(first.warnings.isEmpty)
        try instance.refuse(first.id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        #expect(try Self.submit(["target": target, "allowEmpty": false], to: instance).warnings.isEmpty)
    }

    @Test func `a validity that ends before the first retry is warned of`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let short = try Self.submit(["schedule": ["validity": "30m"]], to: instance)
        #expect(short.warnings.count == 1)
        #expect(short.warnings.first?.contains("1h after the first attempt") == true)
        let own = try Self.submit(
            ["schedule": ["validity": "30m"], "retry": ["period": "10m"]], to: instance)
        #expect(own.warnings.isEmpty)
        #expect(try Self.submit(["schedule": ["validity": "1h"]], to: instance).warnings.isEmpty)
        // Without retries on the first day the first comes after a day.
        let daily = try Self.submit(["schedule": ["validity": "2h"], "retry": ["count": 0]], to: instance)
        #expect(daily.warnings.first?.contains("1d after") == true)
    }

    @Test func `without apps it goes to all of the service, each with the variables that it declares`() throws
    {
        let instance = try TestInstance.withApp()
        var droid = TestInstance.stubApp("droid", platform: .android)
        droid.variables = [.init(name: "price", default: nil)]
        _ = try instance.operations.carryOut(droid)
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", default: nil)]))
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
}
