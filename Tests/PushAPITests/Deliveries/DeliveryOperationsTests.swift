import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct DeliveryOperationsTests {
    @Test func `when a delivery's id is returned, the delivery is on disk and the master is notified`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let submitted = try instance.operations.carryOut(try TestInstance.submission())
        #expect(try instance.store.deliveries.summary(of: submitted.id)?.label == "Spring sale")
        #expect(instance.engine.wakeUps == 1)
        let listed = try instance.operations.carryOut(ListDeliveries()).items
        #expect(listed.map(\.id) == [submitted.id])
        #expect(listed[0].state == .startPending && listed[0].startedAt == nil)
        #expect(listed[0].messagesPerSecond == nil)
        #expect(try instance.operations.carryOut(ListDeliveries(before: submitted.id)).items.isEmpty)
    }

    @Test func `all faults in a document are reported together, with the document's name`() throws {
        let instance = try TestInstance.withApp()
        let submission = try TestInstance.submission(["label": 7, "colour": "red"])
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(submission) }
        #expect(error?.kind == .refused)
        #expect(error?.lines.count == 2)
        #expect(error?.lines.allSatisfy { $0.hasPrefix("sale.json: ") } == true)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
        #expect(instance.engine.wakeUps == 0)
    }

    @Test(
        arguments: [
            (["service": "other"], "there is no service other; existing services: neotrips"),
            (["apps": ["droid"]], "service neotrips has no app droid; it has: ios"),
            (["content": ["body": String(repeating: "x", count: 5_000)]], "app ios: payload too long"),
        ] as [([String: any Sendable], String)])
    func `content that no gateway would accept is refused`(changes: [String: any Sendable], why: String)
        throws
    {
        let instance = try TestInstance.withApp()
        let submission = try TestInstance.submission(changes)
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(submission) }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains(why) == true, "\(String(describing: error))")
    }

    @Test func `user keys replace the target in the document`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        var submission = try TestInstance.submission(["target": NSNull()])
        submission.userKeys = ["user2"]
        let id = try instance.operations.carryOut(submission).id
        #expect(try instance.store.deliveries.delivery(id)?.order.target == .userKeys(["user2"]))
        var both = try TestInstance.submission()
        both.userKeys = ["user2"]
        #expect(
            failure { () throws(OperationError) in _ = try instance.operations.carryOut(both) }?.kind
                == .refused)
    }

    @Test
    func `a delivery that waits for a stopped account names the account, and an ended delivery names none`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let first = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(first)
        let second = try instance.operations.carryOut(try TestInstance.submission()).id
        #expect(try instance.operations.carryOut(ShowDelivery(id: second)).waitsFor.isEmpty)
        _ = try instance.store.preparation.prepareChunk(of: second, at: TestInstance.noon)
        let holds = try instance.operations.carryOut(ShowDelivery(id: second)).waitsFor
        #expect(holds.map(\.state) == ["stopped"])
        #expect(holds.map(\.app) == ["ios"])
        #expect(
            try instance.operations.carryOut(ShowDelivery(id: second, looksForHolds: false)).waitsFor.isEmpty)
        #expect(try instance.operations.carryOut(ShowDelivery(id: first)).waitsFor.isEmpty)

        // The report from a running master takes precedence.
        instance.engine.run(.example(mark: "stub production  #1"))
        let held = try instance.operations.carryOut(ShowDelivery(id: second)).waitsFor
        #expect(held.map(\.state) == ["waiting"])
        #expect(held.map(\.secondsUntilProbe) == [30])
    }

    @Test func `a delivery is shown with its order and with the reasons why messages were not sent`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let id = try instance.operations.carryOut(
            try TestInstance.submission([
                "target": ["userKeys": ["user1", "user2", "user3"]],
                "schedule": ["start": "2026-11-21T12:00:00Z", "validity": "2h", "priority": "high"],
                "content": ["title": "Hello", "body": String(repeating: "x", count: 200)],
            ])
        ).id
        try instance.refuse(id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let first = try instance.operations.carryOut(ShowDelivery(id: id))
        let order = try #require(first.order)
        #expect(order.service == "neotrips" && order.apps == ["ios"] && order.target == "3 user keys")
        #expect(order.priority == .high && order.validitySeconds == 7_200)
        #expect(order.startAt?.utcText == "2026-11-21T12:00:00Z")
        #expect(order.content.hasPrefix("Hello: xxx") && order.content.hasSuffix("…"))
        #expect(first.outcome?.failures.map(\.count) == [3])
        #expect(first.outcome?.failures.first?.providerReason == "Unregistered")
        #expect(first.outcome?.exclusions == [] && first.outcome?.nextRetryAt == nil)

        let second = try instance.operations.carryOut(try TestInstance.submission()).id
        _ = try instance.store.preparation.prepareChunk(of: second, at: TestInstance.noon)
        let out = try instance.operations.carryOut(ShowDelivery(id: second)).outcome
        #expect(out?.exclusions.map(\.count) == [3] && out?.failures == [])
        #expect(out?.exclusions.first?.failureReason == "Address in quarantine")
        #expect(try instance.operations.carryOut(ShowDelivery(id: second, looksFurther: false)).order == nil)
    }

    @Test func `a delivery that caused a storm is shown with the storm`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).outcome?.storms == [])
        try instance.refuse(id)
        let storm = try instance.operations.carryOut(ShowStorms())[0].account
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).outcome?.storms == [storm])
    }

    @Test func `an unknown delivery is refused with an error`() throws {
        let instance = try TestInstance.withApp()
        let absent = DeliveryID(rawValue: 9)
        let shown = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowDelivery(id: absent))
        }
        #expect(shown?.kind == .absent)
        let read = failure { () throws(OperationError) in
            try ReadDeliveryLog(id: absent).perform(in: instance.operations) { _ in }
        }
        #expect(read == shown)
    }

    @Test func `the log has one row per message, with the id that the device received`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        var rows: [MessageLogRow] = []
        try ReadDeliveryLog(id: id).perform(in: instance.operations) { rows += $0 }
        #expect(rows.map(\.userKey) == ["user1", "user2", "user3"])
        #expect(
            rows.allSatisfy {
                $0.state == "failed" && $0.attempts == 1 && $0.providerReason == "Unregistered"
            })
        let cipher = MessageIDCipher(key: try instance.store.instanceKey())
        let entries = try instance.store.deliveries.log(of: id)
        for (row, entry) in zip(rows, entries) {
            #expect(row.messageId == "\(cipher.integers(of: id).id(of: entry.ordinal))")
        }
        #expect(
            try instance.operations.carryOut(ShowDelivery(id: id, countsDuplicates: true)).possibleDuplicates
                == 0)
    }

    @Test func `the pages of the log together equal the whole log`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        var whole: [MessageLogRow] = []
        try ReadDeliveryLog(id: id).perform(in: instance.operations) { whole += $0 }
        var (rows, sizes, after): ([MessageLogRow], [Int], Int64?) = ([], [], nil)
        repeat {
            let page = try instance.operations.carryOut(ReadDeliveryLogPage(id: id, after: after, limit: 2))
            rows += page.items
            sizes.append(page.items.count)
            after = page.position
        } while after != nil
        #expect(rows == whole && sizes == [2, 2, 1])
        let one = try instance.operations.carryOut(ReadDeliveryLogPage(id: id, userKey: "user3", limit: 1))
        #expect(one.items == [whole[2]] && one.next == nil)
        #expect(try instance.operations.carryOut(ReadDeliveryLogPage(id: id, userKey: "none")).items.isEmpty)
        let token = try #require(whole[2].token)
        let device = try instance.operations.carryOut(ReadDeliveryLogPage(id: id, token: token, limit: 1))
        #expect(device.items == [whole[2]] && device.next == nil)
        var ofDevice: [MessageLogRow] = []
        try ReadDeliveryLog(id: id, token: token).perform(in: instance.operations) { ofDevice += $0 }
        #expect(ofDevice == [whole[2]])
        #expect(try instance.operations.carryOut(ReadDeliveryLogPage(id: id, token: "0a")).items.isEmpty)
        #expect(throws: OperationError.self) {
            try instance.operations.carryOut(ReadDeliveryLogPage(id: id, userKey: "user3", token: token))
        }
    }
}
