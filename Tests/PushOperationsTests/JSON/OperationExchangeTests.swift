import FoundationEssentials
import PushModel
import PushOperations
import PushWire
import Testing

struct OperationExchangeTests {
    private static func carried<Use: ShortOperation>(
        _ operation: Use, by instance: TestInstance
    ) throws -> Use.Answer {
        let reply = OperationExchange.answer(
            to: try OperationExchange.request(operation), in: instance.operations)
        return try OperationExchange.answer(of: Use.self, from: reply)
    }

    @Test func `an instance that others have open answers as one's own`() throws {
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
        #expect(try Self.carried(ListApps(service: "neotrips"), by: instance) == operations.carryOut(ListApps()))
        #expect(try Self.carried(ShowApp(name: "ios"), by: instance).subscribers == 3)
        #expect(try Self.carried(CountSubscribers(), by: instance) == operations.carryOut(CountSubscribers()))
        #expect(try Self.carried(ListDeliveries(), by: instance) == operations.carryOut(ListDeliveries()))
        let show = ShowDelivery(id: submitted.id, countsDuplicates: true)
        #expect(try Self.carried(show, by: instance) == operations.carryOut(show))
        #expect(try Self.carried(ListQuarantine(), by: instance) == operations.carryOut(ListQuarantine()))
        #expect(try Self.carried(ShowStorms(), by: instance) == operations.carryOut(ShowStorms()))
        #expect(try Self.carried(ShowStatus(), by: instance) == operations.carryOut(ShowStatus()))
        #expect(try Self.carried(ExplainApp(app: "ios"), by: instance) == operations.carryOut(ExplainApp(app: "ios")))
        #expect(try Self.carried(ShowConfiguration(), by: instance) == operations.carryOut(ShowConfiguration()))
    }

    @Test func `a refusal travels whole`() throws {
        let instance = try TestInstance()
        let error = #expect(throws: OperationError.self) {
            _ = try Self.carried(ShowService(name: "nobody"), by: instance)
        }
        #expect(error == .refused("there is no service nobody; make one with 'service create'"))
    }

    @Test(arguments: [
        "", "nonsense", "[]", #"{"operation": 7}"#, #"{"operation": "service.create"}"#,
        #"{"operation": "service.create", "request": {}}"#, #"{"operation": "sing", "request": {}}"#,
    ])
    func `whatever is asked there is an answer`(request: String) throws {
        let instance = try TestInstance()
        let reply = OperationExchange.answer(to: Array(request.utf8), in: instance.operations)
        let value = try JSONParser.parse(reply)
        #expect(value["error"]?["kind"] == .string("usage"))
        #expect(value["answer"] == nil)
        #expect(try instance.operations.carryOut(ListServices()).isEmpty)
    }

    @Test(arguments: ["", "nonsense", "{}", #"{"answer": 7}"#])
    func `an answer that cannot be understood is no success`(reply: String) {
        let error = failure { () throws(OperationError) in
            _ = try OperationExchange.answer(of: ListServices.self, from: Array(reply.utf8))
        }
        #expect(error?.kind == .failed)
    }

    @Test func `no two operations have one name`() {
        let names = OperationExchange.all.map { $0.name }
        #expect(Set(names).count == names.count)
    }
}
