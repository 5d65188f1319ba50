import PushAPI
import PushModel
import PushWire
import TestRequests
import Testing

/// Tests use cases as requests that another process of the instance answers.
struct UseCaseRequestTests {
    private static func carried<Use: UseCase>(_ use: Use, by instance: TestInstance) throws -> Use.Answer {
        let answers = RequestAnswers(operations: instance.operations)
        return try #require(try use.perform { answers($0) })
    }

    @Test func `the answer from another process is the one that this process would return`() throws {
        let instance = try TestInstance()
        let service = try Self.carried(CreateService(name: "neotrips", label: "Neo Trips"), by: instance)
        #expect(service.label == "Neo Trips")
        let app = try Self.carried(TestInstance.stubApp("ios"), by: instance).app
        #expect(app.connector == .stub)
        try instance.subscribe(3)
        let submitted = try Self.carried(try TestInstance.submission(), by: instance)
        #expect(submitted.id == DeliveryID(rawValue: 1))
        try instance.refuse(submitted.id)
        instance.engine.run(.example(mark: "stub production  #1"))

        let operations = instance.operations
        #expect(try Self.carried(ListServices(), by: instance) == operations.carryOut(ListServices()))
        #expect(
            try Self.carried(ListApps(service: "neotrips"), by: instance) == operations.carryOut(ListApps()))
        #expect(try Self.carried(ShowApp(name: "ios"), by: instance).subscribers == 3)
        #expect(try Self.carried(CountSubscribers(), by: instance) == operations.carryOut(CountSubscribers()))
        let show = ShowSubscribers(.userKey("user1"), app: "ios")
        #expect(try Self.carried(show, by: instance) == operations.carryOut(show))
        #expect(try Self.carried(ListDeliveries(), by: instance) == operations.carryOut(ListDeliveries()))
        let delivery = ShowDelivery(id: submitted.id, countsDuplicates: true)
        #expect(try Self.carried(delivery, by: instance) == operations.carryOut(delivery))
        #expect(try Self.carried(ListQuarantine(), by: instance) == operations.carryOut(ListQuarantine()))
        #expect(try Self.carried(ShowStorms(), by: instance) == operations.carryOut(ShowStorms()))
        // The free space on the disk changes all the time.
        var (there, here) = (
            try Self.carried(ShowStatus(), by: instance), try operations.carryOut(ShowStatus())
        )
        #expect(there.size?.diskFreeBytes != nil)
        there.size?.diskFreeBytes = nil
        here.size?.diskFreeBytes = nil
        #expect(there == here)
        let explain = ExplainApp(app: "ios")
        #expect(try Self.carried(explain, by: instance) == operations.carryOut(explain))
        #expect(
            try Self.carried(ShowConfiguration(), by: instance) == operations.carryOut(ShowConfiguration()))
        let send = SendMessages(
            document: Array(#"{"app": "ios", "userKey": "user1", "content": {"title": "t"}}"#.utf8),
            caller: "a")
        #expect(try Self.carried(send, by: instance).messages.count == 1)
    }

    @Test func `a refusal is transmitted completely between processes`() throws {
        let instance = try TestInstance()
        let error = failure { () throws(OperationError) in
            _ = try ShowService(name: "nobody").perform {
                RequestAnswers(operations: instance.operations)($0)
            }
        }
        #expect(error == .absent("there is no service nobody; create one: 'pushmta service create'"))
    }

    @Test(arguments: [Array("{}".utf8), [0xff, 0x00, 0x22, 0x0a], []])
    func `a document is transmitted byte for byte, whatever it contains`(document: [UInt8]) throws {
        let sent = SubmitDelivery(
            document: document, documentName: "a \"name\" & =", userKeys: ["u\n1", ","], caller: "token a",
            idempotencyKey: "k")
        let request = try #require(sent.request)
        #expect(request.method == "POST" && request.body == document && request.idempotencyKey == "k")
        let query = try #require(
            APIAddress(path: "".utf8, query: request.target.drop { $0 != "?" }.dropFirst().utf8)
        ).query
        let received = try SubmitDelivery.request(
            names: [:], query: Dictionary(uniqueKeysWithValues: query.map { ($0.name, $0.value) }),
            body: request.body)
        #expect(received.document == document && received.documentName == sent.documentName)
        #expect(received.userKeys == sent.userKeys && received.caller == sent.caller)
    }

    @Test(arguments: ["shop", "a/b", "..a", "é ?&=#%", "{name}"])
    func `a name is transmitted in a path, whatever it contains`(name: String) throws {
        let request = try #require(ShowService(name: name).request)
        let path = try #require(APIAddress(path: request.target.utf8, query: "".utf8)).segments
        #expect(path == ["services", name])
    }

    @Test func `each request uses the matching one of a use case's addresses`() throws {
        func target(_ use: some UseCase) -> String? { use.request?.target }
        #expect(target(DrainHost(host: "a", isWanted: true)) == "/hosts/a/drain")
        #expect(target(DrainHost(host: "a", isWanted: false)) == "/hosts/a/resume")
        let (one, two) = (DeliveryID(rawValue: 1), DeliveryID(rawValue: 2))
        #expect(target(ReleaseDeliveries(ids: [one])) == "/deliveries/1/release?ids=%5B1%5D")
        #expect(target(ReleaseDeliveries(ids: [one, two])) == "/deliveries/release?ids=%5B1%2C2%5D")
        #expect(target(ReleaseDeliveries(ids: nil)) == "/deliveries/release")
        #expect(target(RemoveSubscribers(.userKey("u"))) == "/subscribers?userKey=u")
        #expect(target(ShowService(name: "")) == nil)
    }

    @Test func `no two use cases share a name or an address`() {
        func operations<Use: UseCase>(of type: Use.Type) -> [String] {
            Use.operations.map { "\($0.method) \($0.path)" }
        }
        let names = UseCases.all.compactMap { ($0 as? any ShortOperation.Type)?.name }
        #expect(Set(names).count == names.count && names.count > 50)
        let addresses = UseCases.all.flatMap { operations(of: $0) }
        #expect(Set(addresses).count == addresses.count)
    }
}
