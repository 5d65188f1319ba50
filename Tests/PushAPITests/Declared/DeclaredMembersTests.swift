import PushAPI
import PushModel
import PushWire
import Testing

@Suite struct DeclaredMembersTests {
    private struct Inner: Members, Equatable {
        var text = ""
        var number = 7
        init() {}
        static let members: [Member<Self>] = [
            .field(\.text, "text", "A text."), .field(\.number, "number", "A number.", default: 7),
        ]
    }
    private struct Outer: Members, Equatable {
        var flag = false
        var inner = Inner()
        var list: [Inner] = []
        var note: String?
        init() {}
        static let members: [Member<Self>] = [
            .field(\.flag, "flag", "A flag."), .field(\.inner, "inner", "One."),
            .field(\.list, "list", "Several.", default: []), .field(\.note, "note", "A note."),
        ]
    }

    private func read<Value: Members>(_ type: Value.Type, _ text: String) throws -> (Value?, [String]) {
        var faults = Faults()
        let value = Value.read(try JSONParser.parse(Array(text.utf8)), at: "", &faults)
        return (value, faults.lines)
    }

    @Test func `every fault is listed with its path, the found value and the allowed values`() throws {
        let (value, faults) = try read(
            Outer.self,
            #"{"flag": "on", "inner": {"text": 3}, "list": [{"text": ""}, {"number": "x"}, 4], "nota": 1}"#
        )
        #expect(value == nil)
        #expect(
            faults == [
                "nota: unknown; allowed: flag, inner, list, note",
                #"flag: must be true or false, not "on""#, "inner.text: must be a string, not 3",
                "list[1].text: missing", #"list[1].number: must be an integer, not "x""#,
                "list[2]: must be an object, not 4",
            ])
        #expect(try read(Outer.self, "[]").1 == ["the document must be an object, not an array"])
        #expect(try read(Outer.self, "{}").1 == ["flag: missing", "inner: missing"])
    }

    @Test func `a written value is read back unchanged, and defaults apply to absent members`() throws {
        let (read, faults) = try read(Outer.self, #"{"flag": true, "inner": {"text": "a"}}"#)
        let value = try #require(read)
        #expect(faults.isEmpty && value.inner.number == 7 && value.note == nil && value.list.isEmpty)
        var again = Faults()
        #expect(Outer.read(try #require(value.json), at: "", &again) == value)
    }

    @Test func `a change keeps absent members, removes null members and sets the rest`() throws {
        var fields = ServiceFields()
        (fields.label, fields.frequencyCap) = ("Label", FrequencyCap("3 in 7d"))
        func change(_ text: String) throws -> [String] {
            let (changes, faults) = try read(Changes<ServiceFields>.self, text)
            try changes?.apply(to: &fields)
            return faults
        }
        #expect(try change(#"{"label": "New"}"#) == [])
        #expect(fields.label == "New" && fields.frequencyCap == FrequencyCap("3 in 7d"))
        #expect(try change(#"{"frequencyCap": null}"#) == [])
        #expect(fields.label == "New" && fields.frequencyCap == nil)
        let faults = try change(#"{"label": 3, "frequencyCap": "often", "other": 1}"#)
        #expect(faults.map { $0.prefix { $0 != ":" } } == ["other", "label", "frequencyCap"])
        #expect(fields.label == "New" && fields.frequencyCap == nil)
    }

    @Test func `a required member cannot be removed`() throws {
        let (_, faults) = try read(Changes<Inner>.self, #"{"text": null, "number": null}"#)
        #expect(faults == ["text: must be a string, not null"])
    }

    private struct Shown: View, Equatable {
        struct Part: View, Equatable { var name: String }
        var id: DeliveryID
        var state: DeliveryState
        var at: WallTime?
        var parts: [Part]
        var note: String?
        static let about = ["at": "null: never"]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(state, forKey: .state)
            try container.encodeIfPresent(at, forKey: .at)
            try container.encode(parts, forKey: .parts)
            if let note { try container.encode(note, forKey: .note) }
        }
    }

    @Test func `a view's schema follows from its properties and its omissions`() throws {
        let members = Shown.schemaMembers
        #expect(members.map(\.name) == ["id", "state", "at", "parts", "note"])
        #expect(members.map(\.isRequired) == [true, true, true, true, false])
        #expect(members.map(\.about) == [nil, nil, "null: never", nil, nil])
        let kinds = members.map { $0.schema.value }
        #expect(kinds[0]["type"] == .string("integer"))
        #expect(kinds[1]["$ref"] == .string("#/components/schemas/DeliveryState"))
        #expect(DeliveryState.schema.words == DeliveryState.allCases.map(\.rawValue))
        #expect(kinds[2] == Schema.orNull(.time).value)
        #expect(kinds[3]["items"]?["$ref"] != nil && kinds[4] == Schema.orNull(.string).value)
        #expect(DeliveryStatistics.AppCounts.schemaName == "DeliveryStatisticsAppCounts")
        #expect(StatusView.schemaName == "Status")
    }

    /// A property that is not declared as a member would be lost in transfer.
    @Test
    func `each use case declares all its properties, and its path has a placeholder for each path member`() {
        for type in UseCases.all { checkDeclarations(of: type) }
    }

    private func checkDeclarations<Use: UseCase>(of type: Use.Type) {
        // A function is a property only for callers in the same process.
        let properties = Mirror(reflecting: Use()).children
        let stored = properties.count { !"\(Swift.type(of: $0.value))".contains("->") }
        // The fields of an object, or changes to these fields, are one property with several members. A key
        // is sent in the header.
        let keys = type is any KeyedUseCase.Type ? 1 : 0
        #expect(Use.members.count + keys >= stored, "\(type)")
        let placed = Use.declarations.filter { $0.place == .path }.map(\.name)
        let named = Use.operations.map { operation in
            operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            .map(String.init) + operation.given.keys
        }
        #expect(Set(placed) == Set(named.joined()), "\(type)")
        #expect(named.allSatisfy { Set($0).count == $0.count }, "\(type)")
        #expect(Set(Use.declarations.map(\.name)).count == Use.declarations.count, "\(type)")
    }

    @Test func `the text of a fault contains neither a person's name nor a device token`() {
        let secrets = ["token", "tokens", "userKey", "userKeys"]
        for type in UseCases.all {
            for declaration in type.declarations where secrets.contains(declaration.name) {
                #expect(declaration.isSecret, "\(type): \(declaration.name)")
            }
        }
    }

    @Test func `each paginated list has a limit`() {
        for type in UseCases.all {
            let names = type.declarations.map(\.name)
            #expect(names.contains("cursor") == names.contains("limit"), "\(type)")
        }
    }

    @Test func `exactly one of the alternatives must be present, and null counts as absent`() throws {
        @discardableResult func request(_ body: String) throws(OperationError) -> EraseSubscribers {
            try EraseSubscribers.request(names: [:], query: [:], body: Array(body.utf8))
        }
        #expect(try request(#"{"userKey": "anna"}"#).who == .userKey("anna"))
        for body in ["{}", #"{"userKey": "anna", "token": "a1"}"#] {
            #expect(
                failure { () throws(OperationError) in try request(body) }?.lines == [
                    "give one of token and userKey"
                ])
        }
        #expect(
            failure { () throws(OperationError) in try request(#"{"userKey": "anna", "token": null}"#) }?
                .lines == ["token: must have a value or be omitted"])
        // The description matches the accepted values, and a process of the instance never sends null.
        guard case .component(_, let schema)? = EraseSubscribers.body else {
            Issue.record("the body is not a component")
            return
        }
        #expect(schema().value["properties"]?["token"]?["type"] == .string("string"))
        #expect(EraseSubscribers(.userKey("anna")).request?.body == Array(#"{"userKey":"anna"}"#.utf8))
    }

    @Test func `a change cannot remove a required value`() throws {
        let instance = try TestInstance.withApp()
        func change<Use: UseCase>(_ type: Use.Type, _ name: String, _ body: String) -> OperationError? {
            failure { () throws(OperationError) in
                _ = try Use.request(names: ["name": name], query: [:], body: Array(body.utf8))
                    .carryOut(by: instance.operations)
            }
        }
        let environment = change(UpdateApp.self, "ios", #"{"environment": null}"#)
        #expect(environment?.lines == ["environment: must be one of sandbox, production, not null"])
        #expect(
            change(UpdateWebhook.self, "w", #"{"events": null}"#)?.lines.first?.hasPrefix("events: ") == true)
        // A webhook that is created without these members gets their default values.
        let request = try CreateWebhook.request(
            names: [:], query: [:], body: Array(#"{"name": "w", "url": "https://example.com"}"#.utf8))
        #expect(try instance.operations.carryOut(request).webhook.events == WebhookEventKind.allCases)
    }
}
