import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import TestRequests
import Testing

struct ChangingOperationTests {
    /// Returns two instances: one that receives requests, and one that executes requests for the first one.
    private func pair() throws -> (asked: TestInstance, other: TestInstance) {
        let (asked, other) = (try TestInstance(), try TestInstance())
        let answers = RequestAnswers(operations: other.operations)
        asked.engine.carryOut { answers($0, for: $1) }
        return (asked, other)
    }

    @Test func `the process that serves the store executes changes, and reads are executed locally`() throws {
        let (asked, other) = try pair()
        _ = try asked.operations.carryOut(CreateService(name: "neotrips"))
        #expect(try other.operations.carryOut(ListServices()).map(\.name) == ["neotrips"])
        #expect(try asked.operations.carryOut(ListServices()).isEmpty)
    }

    @Test
    func `if the serving process cannot write a change for lack of space, the calling process writes it`()
        throws
    {
        let asked = try TestInstance()
        let full = OperationError(StoreError(.diskFull, path: "pushmta.db"))
        asked.engine.carryOut { _, _ in .answer(Self.problem(full.kind.rawValue)) }
        _ = try asked.operations.carryOut(CreateService(name: "neotrips"))
        #expect(try asked.operations.carryOut(ListServices()).map(\.name) == ["neotrips"])
    }

    @Test func `exactly the listed operations change the store`() {
        let changing = UseCases.all.compactMap { ($0 as? any ChangingOperation.Type)?.name }
        #expect(
            changing == [
                "service.create", "service.update", "service.delete", "webhook.create", "webhook.update",
                "webhook.delete", "webhook.rotate-secret", "token.create", "token.revoke", "user.create",
                "user.role", "user.reset", "user.remove", "session.end", "template.save",
                "template.delete", "draft.save", "draft.remove", "draft.submit", "quarantine.add",
                "subscribers.add", "subscribers.remove",
                "subscribers.set", "app.create", "app.update", "app.switch", "app.switch-back",
                "delivery.submit", "delivery.proof", "delivery.recall", "delivery.copy", "delivery.pause",
                "delivery.resume", "delivery.stop",
                "delivery.release", "message.send", "message.cancel", "account.resume", "host.drain",
                "job.cancel",
            ])
    }

    @Test func `a refusal is the same in whichever process the operation is executed`() throws {
        let (asked, other) = try pair()
        let alone = try TestInstance()
        for instance in [other, alone] {
            _ = try instance.operations.carryOut(CreateService(name: "neotrips"))
        }
        func error(of instance: TestInstance, _ operation: some ChangingOperation) -> OperationError? {
            do throws(OperationError) {
                _ = try instance.operations.carryOut(operation)
                return nil
            } catch { return error }
        }
        for name in ["neotrips", "", "\n"] {
            let refused = error(of: asked, CreateService(name: name))
            #expect(refused != nil && refused == error(of: alone, CreateService(name: name)))
        }
        let submission = try TestInstance.submission(["apps": ["nobody"], "strange": 1])
        let refused = error(of: asked, submission)
        #expect(refused != nil && refused == error(of: alone, submission))
    }

    @Test func `a conflict is reported as a conflict by whichever process found it`() throws {
        let (asked, other) = try pair()
        _ = try other.operations.carryOut(CreateService(name: "neotrips"))
        _ = try other.operations.carryOut(TestInstance.stubApp("ios"))
        var order = try TestInstance.submission()
        order.idempotencyKey = "k"
        #expect(try !asked.operations.carryOut(order).isRepeated)
        #expect(try asked.operations.carryOut(order).isRepeated)
        order.document = try TestInstance.submission(["label": "another"]).document
        let error = failure { () throws(OperationError) in _ = try asked.operations.carryOut(order) }
        #expect(error?.kind == .conflict)
    }

    @Test func `an operation that the serving process does not accept or know is executed locally`() throws {
        let replies: [CarriedOut] = [
            .notTaken, .answer(Self.problem("usage")), .answer(ServiceReply(status: 404, body: [])),
            .answer(Self.problem("preconditionFailed")),
        ]
        for reply in replies {
            let instance = try TestInstance()
            instance.engine.carryOut { _, _ in reply }
            #expect(try instance.operations.carryOut(CreateService(name: "neotrips")).name == "neotrips")
            #expect(try instance.operations.carryOut(ListServices()).count == 1)
        }
    }

    @Test(arguments: ["", "nonsense", "{}", #"{"id": "x"}"#])
    func `after an unintelligible answer the outcome is unknown, and the operation is not executed again`(
        reply: String
    ) throws {
        try expectUnknown(.answer(ServiceReply(status: 201, body: Array(reply.utf8))))
        try expectUnknown(.answer(ServiceReply(status: 500, body: Array(reply.utf8))))
    }

    private static func problem(_ code: String) -> ServiceReply {
        var bytes: [UInt8] = []
        var problem = Problem(.badRequest, title: "", errors: ["no"])
        problem.code = code
        (problem.json ?? .null).append(to: &bytes)
        return ServiceReply(status: 400, body: bytes)
    }

    @Test func `after a missing answer the outcome is unknown, and the operation is not executed again`()
        throws
    {
        try expectUnknown(.unknown)
    }

    private func expectUnknown(_ reply: CarriedOut) throws {
        let instance = try TestInstance.withApp()
        let asked = Mutex(0)
        instance.engine.carryOut { _, _ in
            asked.withLock { $0 += 1 }
            return reply
        }
        let error = #expect(throws: OperationError.self) {
            _ = try instance.operations.carryOut(try TestInstance.submission())
        }
        #expect(error?.kind == .failed)
        #expect(error?.lines.count == 1)
        #expect(error?.description.contains("'pushmta delivery list'") == true)
        #expect(asked.withLock { $0 } == 1)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
    }
}
