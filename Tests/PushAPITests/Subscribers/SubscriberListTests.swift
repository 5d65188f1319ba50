import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

@Suite struct SubscriberListTests {
    /// Two services: the first has two apps, the second has one. User 1 lives in Rome, everyone else in Paris.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("other"))
        _ = try instance.operations.carryOut(CreateService(name: "second"))
        _ = try instance.operations.carryOut(TestInstance.stubApp("third", service: "second"))
        for app in ["ios", "other", "third"] {
            try instance.subscribe(9, to: app, parameters: #"{"city":"Paris","points":"7"}"#)
            try instance.subscribe(1, to: app, parameters: #"{"city":"Rome","points":"12"}"#)
        }
        return instance
    }

    private static func list(
        _ instance: TestInstance, _ members: [String: JSONValue]
    ) throws(OperationError) -> (items: [SubscriberView], pages: Int) {
        var given = members.map { JSONMember(key: $0.key, value: $0.value) }
        var (items, pages): ([SubscriberView], Int) = ([], 0)
        while true {
            let page = try instance.operations.carryOut(try ShowSubscribers.request(of: given, { $0 }))
            items += page.items
            pages += 1
            guard let next = page.next else { return (items, pages) }
            given.removeAll { $0.key == "cursor" }
            given.append(JSONMember(key: "cursor", value: .string(next)))
        }
    }

    @Test func `subscribers are listed by service, app, state and condition, page by page`() throws {
        let instance = try Self.instance()
        let rome = JSONValue.string(#"{"city": "Rome"}"#)
        for (members, wanted) in [
            (["service": .string("neotrips")], ["ios": 9, "other": 9]),
            (["service": .string("second")], ["third": 9]),
            (["app": .string("other")], ["other": 9]),
            (["app": .string("other"), "service": .string("neotrips")], ["other": 9]),
            (["service": .string("neotrips"), "where": rome], ["ios": 1, "other": 1]),
            (["app": .string("ios"), "where": rome, "state": .string("valid")], ["ios": 1]),
            (["app": .string("ios"), "where": rome, "state": .string("quarantined")], [:]),
            (["app": .string("ios"), "where": .string(#"{"points": {">=": 7}}"#)], ["ios": 9]),
            (["app": .string("ios"), "where": .string(#"{"not": {"city": "Rome"}}"#)], ["ios": 8]),
        ] as [([String: JSONValue], [String: Int])] {
            let all = try Self.list(instance, members)
            #expect(Dictionary(grouping: all.items, by: \.app).mapValues(\.count) == wanted, "\(members)")
            for limit in [1, 4, 9, 18] as [Int64] {
                let paged = try Self.list(instance, members.merging(["limit": .integer(limit)]) { $1 })
                #expect(paged.items == all.items, "\(members) \(limit)")
                #expect(paged.pages > 1 || limit >= 9)
            }
        }
    }

    @Test func `a list with a wrong filter is refused, and the error states what is wrong`() throws {
        let instance = try Self.instance()
        _ = try instance.operations.carryOut(
            CreateApp(
                name: "declared", service: "second", platform: .ios, integrationKey: "d", connector: "stub",
                parameters: [ParameterDeclaration(name: "city", kind: .text)]))
        for (members, kind, why) in [
            ([:], OperationError.Kind.usage, "or app or service"),
            (["where": .string(#"{"city": "Rome"}"#)], .usage, "or app or service"),
            (["app": .string("none")], .absent, "there is no app none"),
            (["service": .string("none")], .absent, "there is no service none"),
            (["app": .string("third"), "service": .string("neotrips")], .absent, "does not belong to"),
            (["app": .string("ios"), "where": .string("Rome")], .usage, "where: must be a JSON object"),
            (["app": .string("ios"), "where": .string("[]")], .usage, "where"),
            (["app": .string("ios"), "where": .string("{}")], .usage, "where"),
            (["app": .string("ios"), "where": .string(#"{"city": {"~": 1}}"#)], .usage, "where.city"),
            (["app": .string("declared"), "where": .string(#"{"town": "Rome"}"#)], .usage, "\"town\""),
            (["userKey": .string("user1"), "where": .string(#"{"city": "Rome"}"#)], .usage, "where: "),
        ] as [([String: JSONValue], OperationError.Kind, String)] {
            let error = failure { () throws(OperationError) in _ = try Self.list(instance, members) }
            #expect(
                error?.kind == kind && error?.description.contains(why) == true,
                "\(members): \(String(describing: error))")
        }
    }
}
