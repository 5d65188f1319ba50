import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

@Suite struct ShowMessageTests {
    /// An instance with two deliveries to two devices, and what the first message was named.
    private struct Sent {
        let instance: TestInstance
        let first: DeliveryID
        let second: DeliveryID
        let row: MessageLogRow
        let opaque: OpaqueID

        init(_ changes: [String: Any] = [:]) throws {
            instance = try TestInstance.withApp()
            try instance.subscribe(2)
            let operations = instance.operations
            first = try operations.carryOut(try TestInstance.submission(changes)).id
            second = try operations.carryOut(try TestInstance.submission(changes)).id
            for delivery in [first, second] { try instance.accept(delivery) }
            row = try #require(try operations.carryOut(ReadDeliveryLogPage(id: first)).items.first)
            let entry = try #require(try instance.store.deliveries.log(of: first).first)
            opaque = MessageIDCipher(key: try instance.store.instanceKey())
                .opaqueID(of: entry.message, in: first)
        }

        func show(_ id: String, of delivery: DeliveryID? = nil) throws(OperationError) -> MessageView {
            try instance.operations.carryOut(ShowMessage(id: id, delivery: delivery))
        }
    }

    @Test func `a message of a delivery is found by its own id, by apns-id, and by its _mId`() throws {
        let sent = try Sent()
        let id = try #require(sent.row.messageId)
        let shown = try sent.show(sent.opaque.text)
        #expect(shown.delivery == sent.first && shown.label == "Spring sale" && shown.state == "sent")
        #expect(shown.messageId == id && shown.userKey == sent.row.userKey && shown.clicks == 0)
        #expect(try sent.show(sent.opaque.asUUIDv8.text) == shown)
        #expect(try sent.show(" \(sent.opaque.text.uppercased()) ") == shown)
        #expect(try sent.show(sent.opaque.text, of: sent.first) == shown)
        // The app's ids are integers, which count within their delivery.
        #expect(try sent.show(id, of: sent.first) == shown)
        let other = try #require(
            try sent.instance.operations.carryOut(ReadDeliveryLogPage(id: sent.second)).items.first)
        let otherID = try #require(other.messageId)
        #expect(try sent.show(otherID, of: sent.second).delivery == sent.second)
    }

    @Test func `what the device reported is shown with the message`() throws {
        let sent = try Sent()
        let entry = try #require(try sent.instance.store.deliveries.log(of: sent.first).first)
        let hits = [HitKind.received, .clicked, .clicked].map { kind in
            HitRecord(
                delivery: sent.first, message: entry.message, number: entry.ordinal, app: entry.app,
                kind: kind, at: TestInstance.noon)
        }
        _ = try sent.instance.store.hits.record(hits)
        let shown = try sent.show(sent.opaque.text)
        #expect(shown.receivedAt == TestInstance.noon && shown.clickedAt == TestInstance.noon)
        #expect(shown.clicks == 2)
        let rows = try sent.instance.operations.carryOut(ReadDeliveryLogPage(id: sent.first)).items
        #expect(rows.map(\.clicks) == [2, 0] && rows.map(\.receivedAt) == [TestInstance.noon, nil])
    }

    @Test
    func `an id of another kind, delivery or instance is refused, and the error states what is expected`()
        throws
    {
        let sent = try Sent()
        let id = try #require(sent.row.messageId)
        for (text, delivery, kind, why) in [
            (
                sent.opaque.text, sent.second, OperationError.Kind.conflict,
                "belongs to delivery \(sent.first)"
            ),
            (id, nil, .absent, "needs its delivery"), ("1", nil, .absent, "needs its delivery"),
            (id, DeliveryID(rawValue: 99), .absent, "there is no delivery 99"),
            ("9999999999", sent.first, .absent, "has no message with this _mId"),
            (String(repeating: "9", count: 40), sent.first, .absent, "has no message with this _mId"),
            (TestInstance.token(1), nil, .absent, "this looks like the token of a device"),
            ("00000000-0000-8000-8000-000000000000", nil, .absent, "there is no message"),
            ("00000000-0000-8000-8000-000000000000", sent.first, .absent, "there is no message"),
            ("projects/p/messages/0:15%31", nil, .absent, "nmac/fcm/@keepMessageIds"),
            ("projects/p/messages/0:15%31", sent.first, .absent, "in delivery \(sent.first)"),
            ("0:15%31", nil, .absent, "nmac/fcm/@keepMessageIds"),
            ("anna", nil, .absent, "this is not a message id"), ("", nil, .absent, "not a message id"),
            ("/messages/", nil, .absent, "nmac/fcm/@keepMessageIds"),
        ] as [(String, DeliveryID?, OperationError.Kind, String)] {
            let error = failure { () throws(OperationError) in _ = try sent.show(text, of: delivery) }
            #expect(
                error?.kind == kind && error?.description.contains(why) == true,
                "\(text) \(String(describing: error))")
            #expect(error?.description.contains(TestInstance.token(1)) != true)
        }
    }

    @Test func `a message is found by the name that the gateway gave to it`() throws {
        let sent = try Sent()
        let delivery = try sent.instance.operations.carryOut(try TestInstance.submission()).id
        let step = try sent.instance.store.preparation.prepareChunk(of: delivery, at: TestInstance.noon)
        let message = try #require(step.part).messages.lowerBound
        var batch = OutcomeBatch(delivery: delivery)
        batch.others = [
            MessageRecord(message: message, change: .sent(providerID: "0:15%31bd"), countsAttempt: true)
        ]
        _ = try sent.instance.store.outcomes.record([batch], at: TestInstance.noon)
        for (name, of) in [
            ("projects/p/messages/0:15%31bd", nil), ("0:15%31bd", nil), ("0:15%31bd", delivery),
        ] as [(String, DeliveryID?)] {
            let shown = try sent.show(name, of: of)
            #expect(shown.delivery == delivery && shown.providerId == "0:15%31bd")
        }
    }

    @Test func `messages without tracking or of a delivery whose messages were removed have no _mId`() throws
    {
        let sent = try Sent(["tracking": false])
        #expect(sent.row.messageId == nil)
        let untracked = failure { () throws(OperationError) in _ = try sent.show("7", of: sent.first) }
        #expect(untracked?.description.contains("\"tracking\": false") == true)
        #expect(try sent.show(sent.opaque.text).messageId == nil)
        let rules = RetentionRules(messageDays: 1, quarantineSeconds: 86_400)
        let later = WallMoment(TestInstance.noon.time.advanced(bySeconds: 3 * 86_400))
        let writer = sent.instance.store.retentionWriter
        while try writer.step(.messages, rules, at: later).hasMore {}
        for (text, delivery) in [("7", sent.first), (sent.opaque.text, sent.first)] {
            let removed = failure { () throws(OperationError) in _ = try sent.show(text, of: delivery) }
            #expect(removed?.kind == .noMatch && removed?.description.contains("were removed on") == true)
        }
        #expect(
            failure { () throws(OperationError) in _ = try sent.show(sent.opaque.text) }?.kind == .absent)
    }
}
