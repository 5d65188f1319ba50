import Foundation
import PushAPI
import PushModel
import PushStore
import Testing

struct ProofDeliveryTests {
    private static func proof(_ keys: [String], _ changes: [String: Any] = [:]) throws -> ProofDelivery {
        ProofDelivery(
            document: try TestInstance.submission(changes).document, documentName: "sale.json",
            userKeys: keys)
    }

    @Test func `a proof is a separate delivery, which is sent immediately and only to the given user keys`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        let schedule: [String: Any] = [
            "start": "2099-01-01T00:00:00Z", "validity": "2h", "priority": "low", "ratePerSecond": 1,
            "retentionDays": 3,
        ]
        let sent = try instance.operations.carryOut(
            try Self.proof(["user2", "user4"], ["schedule": schedule]))
        #expect(sent.id == DeliveryID(rawValue: 1) && !sent.isRepeated)
        let order = try #require(try instance.store.deliveries.delivery(sent.id)).order
        #expect(order.label == "proof: Spring sale" && order.target.base == .userKeys(["user2", "user4"]))
        #expect(order.target.ignoresFrequencyCap)
        #expect(order.schedule.start == nil && order.schedule.ratePerSecond == 0)
        #expect(order.schedule.priority == .high && order.schedule.validitySeconds == 7_200)
        #expect(order.schedule.retentionDays == 3)
        #expect(instance.engine.wakeUps == 1)
        try instance.accept(sent.id)
        let shown = try instance.operations.carryOut(ShowDelivery(id: sent.id)).delivery
        #expect(shown.counts.sent == 2 && shown.label.hasPrefix(ProofDelivery.labelPrefix))
        // The real delivery is counted separately.
        let real = try instance.operations.carryOut(try TestInstance.submission())
        #expect(try instance.operations.carryOut(ShowDelivery(id: real.id)).delivery.counts.sent == 0)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.map(\.id) == [real.id, sent.id])
    }

    @Test func `a proof with a key is sent once`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        func send(_ key: String) throws -> SubmittedDelivery {
            var proof = try Self.proof([key])
            (proof.caller, proof.idempotencyKey) = ("anna", "k")
            return try instance.operations.carryOut(proof)
        }
        let sent = try send("user1")
        let again = try send("user1")
        #expect(again.id == sent.id && again.isRepeated)
        #expect(throws: OperationError.self) { _ = try send("user2") }
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 1)
    }

    @Test func `a proof needs no target in its document, and ignores a target that matches nothing`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let changes: [[String: Any]] = [
            ["target": NSNull()], ["target": ["where": ["town": "Paris"]], "allowEmpty": false],
        ]
        for change in changes {
            let sent = try instance.operations.carryOut(try Self.proof(["user1"], change))
            #expect(sent.warnings.isEmpty)
        }
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 2)
    }

    @Test func `an unknown user key causes a warning, and a proof with only unknown keys is refused`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let sent = try instance.operations.carryOut(try Self.proof(["user1", "typo"]))
        #expect(sent.warnings == [#"user key "typo": no subscriber of the delivery's apps has it"#])
        let wrong: [[String]] = [
            ["typo"], [], [""], ["user1", ""], (0...100).map { "user\($0)" },
        ]
        for keys in wrong {
            let order = try Self.proof(keys)
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
            #expect(error?.kind == .refused && error?.lines.count == 1, "\(keys.count)")
            #expect(error?.description.hasPrefix("user keys: ") == true)
        }
        let bad = try Self.proof(["user1"], ["strange": 1])
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(bad) }
        #expect(error?.kind == .refused && error?.description.hasPrefix("sale.json: ") == true)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 1)
    }

    @Test func `a user key whose devices are sent nothing causes a warning with the reason`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        try instance.subscribe(1, parameters: #"{"city":"Paris"}"#)
        let sent = try instance.operations.carryOut(
            try Self.proof(["user1", "user2"], ["content": ["title": "Hello {{city}}"]]))
        #expect(sent.warnings == [#"user key "user2": nothing is sent: no value for {{city}}"#])
        try instance.refuse(sent.id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let again = try instance.operations.carryOut(try Self.proof(["user1"]))
        #expect(again.warnings == [#"user key "user1": nothing is sent: the device is in quarantine"#])
    }

    @Test func `the label of a proof is valid even if the document has the longest label`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let label = String(repeating: "é", count: 128)
        let sent = try instance.operations.carryOut(try Self.proof(["user1"], ["label": label]))
        let stored = try #require(try instance.store.deliveries.delivery(sent.id)).order.label
        #expect(stored.hasPrefix("proof: éé") && stored.utf8.count <= 256 && stored.utf8.count > 250)
    }
}
