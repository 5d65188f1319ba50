import PushAPI
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite struct CancelMessageTests {
    private func send(_ instance: TestInstance, _ members: String = "") throws -> String {
        let document = #"{"app": "ios", "userKey": "user1", "content": {"title": "Hello"}\#(members)}"#
        let order = SendMessages(document: Array(document.utf8), caller: "a")
        return try #require(try instance.operations.carryOut(order).messages.first?.devices.first).id
    }

    private func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        return instance
    }

    @Test func `a waiting message is cancelled once, with a line in the audit trail`() throws {
        let instance = try instance()
        let id = try send(instance)
        let first = try instance.operations.carryOut(CancelMessage(id: id))
        #expect(first.state == .cancelled && first.changed && first.id == id)
        let again = try instance.operations.carryOut(CancelMessage(id: id.uppercased()))
        #expect(again.state == .cancelled && !again.changed && again.id == id)
        let shown = try instance.operations.carryOut(ShowMessage(id: id))
        #expect(shown.state == "cancelled" && shown.isFinal)
        let lines = try instance.operations.carryOut(ReadAudit()).items
        #expect(lines.filter { $0.action == "message.cancel" }.map(\.what) == [id])
    }

    @Test func `cancelling a sent message, or an id that is not a message id, is refused`() throws {
        let instance = try instance()
        let id = try send(instance)
        let message = try #require(try instance.store.messageStatus.page(limit: 1).messages.first)
        var batch = OutcomeBatch(delivery: message.delivery)
        batch.accepted = [message.entry.message]
        _ = try instance.store.outcomes.record([batch], at: TestInstance.noon)
        for (id, kind, why) in [
            (id, OperationError.Kind.conflict, "cannot be cancelled: it is sent"),
            ("x", .absent, "this is not a message id"), ("", .absent, "this is not a message id"),
            ("00000000-0000-8000-8000-000000000000", .absent, "there is no message"),
        ] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(CancelMessage(id: id))
            }
            #expect(
                error?.kind == kind && error?.description.contains(why) == true,
                "\(id) \(String(describing: error))")
        }
        #expect(
            try instance.operations.carryOut(ReadAudit()).items.allSatisfy { $0.action != "message.cancel" })
    }

    @Test
    func `a begun request decides the result, and a request that does not end in time is reported`() throws {
        let instance = try instance()
        let store = instance.store
        let id = try send(instance)
        let message = try #require(try store.messageStatus.page(limit: 1).messages.first)
        let looks = Mutex(0)
        // The gateway accepts the message while the caller waits.
        instance.engine.maySend { number in
            #expect(number == message.entry.message)
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            guard look == 2 else { return look == 1 }
            var batch = OutcomeBatch(delivery: message.delivery)
            batch.accepted = [number]
            _ = try store.outcomes.record([batch], at: TestInstance.noon)
            return false
        }
        let sent = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(CancelMessage(id: id))
        }
        #expect(sent?.kind == .conflict && sent?.description.contains("it is sent") == true)
        #expect(try instance.operations.carryOut(ShowMessage(id: id)).state == "sent")

        instance.engine.maySend { _ in true }
        let another = try send(instance)
        let busy = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(CancelMessage(id: another))
        }
        #expect(busy?.kind == .conflict && busy?.description.contains("is being sent") == true)
        // The gateway did not accept the request for the message.
        instance.engine.maySend { _ in false }
        #expect(try !instance.operations.carryOut(CancelMessage(id: another)).changed)

        instance.engine.maySend { _ in throw OperationError(.failed, "the master did not answer") }
        let third = try send(instance)
        let unknown = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(CancelMessage(id: third))
        }
        #expect(unknown?.kind == .failed && unknown?.description.contains("cancel it again") == true)
    }

    @Test func `a scheduled message shows its time, and its validity counts from that time`() throws {
        let instance = try instance()
        let wakeUps = instance.engine.wakeUps
        let id = try send(instance, #", "sendAt": "2026-11-21T14:00:00+01:00", "validity": "1h""#)
        #expect(instance.engine.wakeUps > wakeUps)
        let shown = try instance.operations.carryOut(ShowMessage(id: id))
        #expect(shown.state == "scheduled" && shown.sendAt == WallTime(utc: "2026-11-21T13:00:00Z"))
        #expect(!shown.isFinal)
        #expect(shown.expiresAt == WallTime(utc: "2026-11-21T14:00:00Z"))
        #expect(try instance.operations.carryOut(CancelMessage(id: id)).changed)
        #expect(try instance.operations.carryOut(ShowMessage(id: id)).sendAt == nil)
    }

    @Test func `a time that cannot be used is refused, and the error states what to do`() throws {
        let instance = try instance()
        func sent(_ start: String, as name: String = "sendAt") throws -> SentMessage {
            let document =
                #"{"app": "ios", "userKey": "user1", "content": {"title": "x"}, "\#(name)": \#(start)}"#
            let order = SendMessages(document: Array("[\(document)]".utf8), caller: "a")
            return try #require(try instance.operations.carryOut(order).messages.first)
        }
        let soon = try sent(#""2026-11-21T12:00:05Z""#)
        #expect(soon.fault == nil && soon.devices.map(\.state) == ["scheduled"])
        #expect(try sent(#""2026-11-21T11:59:30Z""#).devices.map(\.state) == ["pending"])
        // The earlier name.
        #expect(try sent(#""2026-11-21T13:00:00Z""#, as: "startAt").devices.map(\.state) == ["scheduled"])
        for (wrong, why) in [
            (#""tomorrow""#, "2026-11-21T10:00:00Z"), (#""2026-11-21T13:00:00""#, "+02:00"), ("7", "a time"),
            (#""2026-02-30T00:00:00Z""#, "a time"), ("{}", "a time"),
            (
                #""2026-11-21T11:00:00Z""#,
                "2026-11-21T11:00:00Z has passed (it is 2026-11-21T12:00:00Z); omit sendAt"
            ),
            (#""2099-01-01T00:00:00Z""#, "more than 366 days ahead; the latest time is 2027-11-22T12:00:00Z"),
        ] {
            let refused = try sent(wrong)
            #expect(refused.fault == .refused && refused.devices.isEmpty, "\(wrong)")
            #expect(refused.reasons.first?.hasPrefix("sendAt: ") == true, "\(refused.reasons)")
            #expect(refused.reasons.first?.contains(why) == true, "\(refused.reasons)")
        }
        let both = try sent(#""2026-11-21T13:00:00Z", "startAt": "2026-11-21T13:00:00Z""#)
        #expect(both.reasons == ["startAt: an earlier name of sendAt; use only one of the two"])
    }

    @Test func `a list of messages can be restricted to those that are scheduled`() throws {
        let instance = try instance()
        let now = try send(instance)
        let later = try send(instance, #", "sendAt": "2026-11-21T13:00:00Z""#)
        func ids(_ state: String) throws -> [String] {
            let list = try ListMessages.request(names: [:], query: ["state": state], body: [])
            return try instance.operations.carryOut(list).items.map(\.id)
        }
        #expect(try ids("scheduled") == [later] && ids("pending") == [now])
        _ = try instance.operations.carryOut(CancelMessage(id: later))
        #expect(try ids("scheduled").isEmpty && ids("cancelled") == [later])
    }
}
