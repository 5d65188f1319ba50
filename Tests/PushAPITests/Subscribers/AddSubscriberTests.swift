import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct AddSubscriberTests {
    /// Returns the app's subscribers as stored.
    private static func stored(_ instance: TestInstance) throws -> [SubscriberView] {
        try instance.operations.carryOut(ShowSubscribers(allOf: "ios")).items
    }

    @Test func `a single subscriber is added in the same way as a row of an import`() async throws {
        let rows: [(token: String, userKey: String, city: String)] = [
            (TestInstance.token(10), "u1", "Rome"), (TestInstance.token(10), "u2", ""),
            (TestInstance.token(10).uppercased(), "u2", "O\"Brien, \n x"),
            (TestInstance.token(11), "", "Bari"),
            (TestInstance.token(11), "", "Bari"),
        ]
        let (one, other) = (try TestInstance.withApp(), try TestInstance.withApp())
        for row in rows {
            let city = row.city.replacing("\"", with: "\"\"")
            let file = "registrationToken,userKey,city\n\(row.token),\(row.userKey),\"\(city)\"\n"
            let counts = try await one.imported(file).0
            let added = try other.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: row.token, userKey: row.userKey,
                    parameters: SubscriberParameters(["city": row.city])))
            let result: AddedSubscriber.Result =
                counts.inserted == 1 ? .created : counts.updated == 1 ? .updated : .unchanged
            #expect(added.result == result && !added.excluded)
            #expect(try Self.stored(one) == Self.stored(other))
        }
        #expect(try Self.stored(other).map(\.userKey) == ["u2", ""])
    }

    @Test func `a language is stored until the device registers, and a long one is refused`() throws {
        let instance = try TestInstance.withApp()
        func add(_ language: String) throws {
            _ = try instance.operations.carryOut(
                AddSubscriber(app: "ios", token: TestInstance.token(1), userKey: "u1", osLanguage: language))
        }
        try add("fr-FR")
        #expect(try Self.stored(instance).map(\.language) == ["fr-FR"])
        let error = #expect(throws: OperationError.self) { try add(String(repeating: "x", count: 101)) }
        #expect(error?.description == "osLanguage: must have at most 100 printable characters")
    }

    @Test func `a quarantined subscriber stays in quarantine unless the quarantine is lifted`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        _ = try instance.operations.carryOut(
            AddToQuarantine(app: "ios", token: TestInstance.token(1), reason: "why"))
        func add(lifting: Bool) throws -> AddedSubscriber {
            try instance.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: TestInstance.token(1), userKey: "user1", liftsQuarantine: lifting))
        }
        #expect(try add(lifting: false).excluded)
        #expect(try Self.stored(instance)[0].state == "quarantined")
        #expect(try !add(lifting: true).excluded)
        #expect(try Self.stored(instance)[0].state == "valid")
    }

    @Test func `every fault of a subscriber is listed, and the errors contain no value`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", parameters: [ParameterDeclaration(name: "points", kind: .number)]))
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: "secret", userKey: String(repeating: "k", count: 513),
                    parameters: SubscriberParameters(["points": "many", "colour": "red", "userKey": "x"])))
        }
        #expect(error?.kind == .refused)
        #expect(
            error?.lines == [
                "token: must be an even number of hex digits, at most 200",
                "userKey: has 513 bytes; the maximum is 512",
                "parameters.colour: unknown; the app declares points:number",
                "parameters.points: must be a number, like -12.5",
                "parameters.userKey: not allowed as the name of a parameter",
            ])
        #expect(try Self.stored(instance).isEmpty)
    }

    @Test func `a zero byte is refused, because neither database stores it`() throws {
        let instance = try TestInstance.withApp()
        for (userKey, parameters) in [("a\0", [:]), ("a", ["b": "\0"]), ("a", ["b\0": "c"])] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(
                    AddSubscriber(
                        app: "ios", token: TestInstance.token(1), userKey: userKey,
                        parameters: SubscriberParameters(parameters)))
            }
            #expect(error?.kind == .refused)
        }
    }
}
