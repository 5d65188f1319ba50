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
            to: try OperationExchange.request(operation, of: "a test"), in: instance.operations)
        let decoded = try JSONDecoder().decode(Reply<Use.Answer>.self, from: Data(reply))
        if let error = decoded.error { throw error }
        return try #require(decoded.answer)
    }

    private struct Reply<Answer: Decodable>: Decodable {
        var answer: Answer?
        var error: OperationError?
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
        #expect(
            try Self.carried(ListApps(service: "neotrips"), by: instance) == operations.carryOut(ListApps()))
        #expect(try Self.carried(ShowApp(name: "ios"), by: instance).subscribers == 3)
        #expect(try Self.carried(CountSubscribers(), by: instance) == operations.carryOut(CountSubscribers()))
        #expect(try Self.carried(ListDeliveries(), by: instance) == operations.carryOut(ListDeliveries()))
        let show = ShowDelivery(id: submitted.id, countsDuplicates: true)
        #expect(try Self.carried(show, by: instance) == operations.carryOut(show))
        #expect(try Self.carried(ListQuarantine(), by: instance) == operations.carryOut(ListQuarantine()))
        #expect(try Self.carried(ShowStorms(), by: instance) == operations.carryOut(ShowStorms()))
        // What the disk has left is another figure each time.
        var (there, here) = (
            try Self.carried(ShowStatus(), by: instance), try operations.carryOut(ShowStatus())
        )
        #expect(there.size?.diskFreeBytes != nil)
        there.size?.diskFreeBytes = nil
        here.size?.diskFreeBytes = nil
        #expect(there == here)
        #expect(
            try Self.carried(ExplainApp(app: "ios"), by: instance)
                == operations.carryOut(ExplainApp(app: "ios")))
        #expect(
            try Self.carried(ShowConfiguration(), by: instance) == operations.carryOut(ShowConfiguration()))
    }

    @Test func `a refusal travels whole`() throws {
        let instance = try TestInstance()
        let error = #expect(throws: OperationError.self) {
            _ = try Self.carried(ShowService(name: "nobody"), by: instance)
        }
        #expect(error == .absent("there is no service nobody; make one with 'service create'"))
    }

    @Test(arguments: [
        "", "nonsense", "[]", #"{"operation": 7}"#, #"{"operation": "service.create"}"#,
        #"{"operation": "service.create", "request": {}}"#,
        #"{"operation": "delivery.submit", "request": {"document": "no base64", "documentName": "x"}}"#,
        #"{"operation": "delivery.submit", "request": {"document": [123, 125], "documentName": "x"}}"#,
        #"{"operation": "sing", "request": {}}"#,
    ])
    func `whatever is asked there is an answer`(request: String) throws {
        let instance = try TestInstance()
        let reply = OperationExchange.answer(to: Array(request.utf8), in: instance.operations)
        let value = try JSONParser.parse(reply)
        #expect(value["error"]?["kind"] == .string("usage"))
        #expect(value["answer"] == nil)
        #expect(try instance.operations.carryOut(ListServices()).isEmpty)
    }

    @Test(arguments: [Array("{}".utf8), [0xff, 0x00, 0x22, 0x0a], []])
    func `a document travels byte by byte, whatever it holds`(document: [UInt8]) throws {
        let sent = SubmitDelivery(document: document, documentName: "a \"name\"", userKeys: ["u\n1"])
        let value = try JSONParser.parse(try OperationExchange.request(sent, of: "a test"))
        #expect(value["operation"] == .string("delivery.submit"))
        var request: [UInt8] = []
        value["request"]?.append(to: &request)
        let come = try JSONDecoder().decode(SubmitDelivery.self, from: Data(request))
        #expect(come.document == document)
        #expect(come.documentName == sent.documentName && come.userKeys == sent.userKeys)
    }

    @Test func `no two operations have one name`() {
        let names = OperationExchange.all.map { $0.name }
        #expect(Set(names).count == names.count)
    }
}
