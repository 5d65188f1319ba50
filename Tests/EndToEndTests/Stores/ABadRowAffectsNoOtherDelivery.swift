import GRDB
import TestSupport
import Testing
import pushload

extension EndToEnd.Stores {
    /// Damage that a disk, a bug or an operator may cause to the rows of a delivery that was submitted and is
    /// not prepared yet.
    enum BadRow: String, CaseIterable {
        case garbledApps = "UPDATE delivery SET apps = '[1' WHERE id = 1"
        case garbledTarget = "UPDATE delivery SET target = 'everybody' WHERE id = 1"
        case emptyPart = """
            INSERT INTO part (id, delivery_id, app_id, first_number, count, members) VALUES (777777, 1, 1, 1, 0, x'');
            INSERT INTO part_progress (part_id, delivery_id, app_id, states, waiting, is_open, has_pending, deadline,
                generation, revision) VALUES (777777, 1, 1, x'01', 0, 1, 1, 4102444800, 1, 1);
            UPDATE delivery SET state = 'preparing', started_ms = 1 WHERE id = 1
            """
    }

    @Test(arguments: BadRow.allCases)
    func `a delivery with a bad row is put on hold and reported, and the next delivery is sent`(row: BadRow)
        async throws
    {
        let count = 300
        try await withTestbedInAFile { testbed in
            testbed.expectedComplaints = ["is damaged and held"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let sick = try await testbed.submit()
            #expect(sick == 1)
            let store = try StoreFile.open(testbed.folder.file("var/pushmta.db"))
            try await store.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = 1; \(row.rawValue)")
            }
            try store.close()
            let sound = try await testbed.submit()
            try await testbed.startEngine()
            #expect(try await testbed.settle(sound).counts.sent == count)
            try await Waiting.until("the other to be reported") {
                testbed.logLines("delivery 1 is damaged and held").isEmpty ? nil : ()
            }
            #expect(testbed.logLines("delivery 1 is damaged and held").count == 1)
            // If only one part is empty, the messages in the other parts are sent, and the delivery may have
            // ended before it was put on hold.
            if row != .emptyPart {
                let status = try await testbed.pushmta(["status"])
                #expect(status.output.contains("DAMAGED: delivery 1"))
            }
            // The damaged delivery does not prevent the master from ending.
            try await testbed.stopEngine()
        }
    }

    @Test func `after a recount, a delivery continues from where it was put on hold`() async throws {
        let count = 300
        try await withTestbedInAFile { testbed in
            testbed.expectedComplaints = ["is damaged and held"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let sick = try await testbed.submit()
            let store = try StoreFile.open(testbed.folder.file("var/pushmta.db"))
            try await store.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = 1; \(BadRow.emptyPart.rawValue)")
            }
            try store.close()
            try await testbed.startEngine()
            try await Waiting.until("it to be reported") {
                testbed.logLines("delivery 1 is damaged and held").isEmpty ? nil : ()
            }
            // The delivery's part has no messages. The command reports this, and the delivery does not
            // continue.
            let refused = try await testbed.pushmta(["delivery", "recount", "\(sick)"])
            #expect(refused.ending.status == 1)
            let repairing = try StoreFile.open(testbed.folder.file("var/pushmta.db"))
            try await repairing.writeWithoutTransaction {
                try $0.execute(
                    sql: "DELETE FROM part WHERE count = 0; DELETE FROM part_progress WHERE part_id = 777777")
            }
            try repairing.close()
            let done = try await testbed.pushmta(["delivery", "recount", "\(sick)"])
            #expect(done.ending.status == 0)
            try await testbed.settle(sick)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: sick) == .everyoneOnce(count))
        }
    }
}
