import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct PauseDeliveryTests {
    @Test func `a paused delivery shows its state and its expiry, and its master is notified`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        let wakeUps = instance.engine.wakeUps
        let paused = try instance.operations.carryOut(PauseDelivery(id: id))
        #expect(paused.changed && paused.state == .paused)
        #expect(instance.engine.wakeUps == wakeUps + 1)
        let shown = try instance.operations.carryOut(ShowDelivery(id: id)).delivery
        #expect(shown.state == .paused && shown.pausedUntil == paused.expiresAt)
        #expect(try instance.operations.carryOut(ListDeliveries()).items[0].pausedUntil == paused.expiresAt)
        #expect(try instance.operations.carryOut(ShowStatus()).deliveries[0].pausedUntil == paused.expiresAt)
        #expect(try instance.operations.carryOut(PauseDelivery(id: id)).changed == false)

        let resumed = try instance.operations.carryOut(ResumeDelivery(id: id))
        #expect(resumed.changed && resumed.state == .startPending)
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).delivery.pausedUntil == nil)
        #expect(try instance.operations.carryOut(ResumeDelivery(id: id)).changed == false)
        let audit = try instance.operations.carryOut(ReadAudit(limit: 3)).items
        #expect(audit.map(\.action) == ["delivery.resume", "delivery.pause", "delivery.submit"])
    }

    @Test func `pausing is refused for a delivery that has ended or does not exist`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(id)
        for operation in ["pause", "resume"] {
            for (delivery, words) in [
                (id, "is finished"), (DeliveryID(rawValue: 99), "there is no delivery 99"),
            ] {
                let error = failure { () throws(OperationError) in
                    if operation == "pause" {
                        _ = try instance.operations.carryOut(PauseDelivery(id: delivery))
                    } else {
                        _ = try instance.operations.carryOut(ResumeDelivery(id: delivery))
                    }
                }
                #expect(error?.kind == (delivery == id ? .refused : .absent) && error?.lines.count == 1)
                #expect(error?.description.contains(words) == true)
            }
        }
    }

    @Test
    func `resuming a delivery on hold is refused, and the error names the command that lets it continue`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        _ = try instance.operations.carryOut(PauseDelivery(id: id))
        try instance.store.repair.hold(id, because: "its part is torn", at: TestInstance.noon)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ResumeDelivery(id: id))
        }
        #expect(error?.kind == .refused && error?.lines.count == 1)
        #expect(error?.description.contains("its part is torn") == true)
        #expect(error?.description.contains("'pushmta delivery recount \(id)'") == true)
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).delivery.state == .paused)
        #expect(try instance.operations.carryOut(ShowStatus()).deliveries[0].damage == "its part is torn")
    }
}
