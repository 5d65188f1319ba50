import Glibc
import Testing
import pushload

extension EndToEnd.Stores {
    private static let takenCount = 20_000

    /// Changes the store's files in the middle of a delivery. The master must end without a command, with
    /// status 1 and one critical line.
    private static func inMidDelivery(
        _ change: (Testbed, _ store: String) async throws -> Void,
        _ story: (Testbed, _ delivery: Int) async throws -> Void
    ) async throws {
        try await withTestbedInAFile(KillScenario.settings(stopsAfter: [6_000])) { testbed in
            testbed.expectedComplaints = ["while it was served"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(Self.takenCount))
            try await testbed.startEngine()
            try await testbed.stopEngine()
            let store = testbed.folder.file("var/pushmta.db")
            try Folder.write(try Folder.read(store), to: testbed.folder.file("backup.db"))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery {
                try await testbed.wait(for: delivery, "a part to be recorded") { $0.counts.sent >= 2_000 }
                try await change(testbed, store)
            }
            let ending = try await #require(testbed.engine).end()
            #expect(ending.status == 1)
            #expect(testbed.logLines("critical").count == 1)
            try await story(testbed, delivery)
        }
    }

    /// A command that runs in between creates an empty log of the same name, which no other process uses.
    @Test(arguments: [false, true])
    func `a removed write-ahead log ends the master, and recorded messages are not sent again`(
        isAskedFor: Bool
    ) async throws {
        try await Self.inMidDelivery { testbed, store in
            unsafe unlink(store + "-wal")
            if isAskedFor { _ = try await testbed.pushmta(["service", "list"]) }
        } _: { testbed, delivery in
            try await testbed.expectResumed(delivery, reaching: Self.takenCount)
        }
    }

    @Test
    func `a backup that replaces the store under its master ends the master, which writes nothing to it`()
        async throws
    {
        try await Self.inMidDelivery { testbed, store in
            unsafe _ = rename(store, testbed.folder.file("var/moved.db"))
            try Folder.write(try Folder.read(testbed.folder.file("backup.db")), to: store)
        } _: { testbed, delivery in
            #expect(
                try Folder.read(testbed.folder.file("var/pushmta.db"))
                    == Folder.read(testbed.folder.file("backup.db")))
            // The delivery is in the file that was moved. This file and its log together contain everything
            // that was recorded.
            let store = testbed.folder.file("var/pushmta.db")
            for suffix in ["-wal", "-shm"] {
                unsafe _ = rename(store + suffix, testbed.folder.file("var/moved.db\(suffix)"))
            }
            #expect(try await testbed.pushmta(["delivery", "show", "\(delivery)"]).ending.status == 3)
            for suffix in ["", "-wal", "-shm"] {
                unsafe unlink(store + suffix)
                unsafe _ = rename(testbed.folder.file("var/moved.db\(suffix)"), store + suffix)
            }
            #expect(try await testbed.show(delivery).counts.sent >= 2_000)
            try await testbed.expectResumed(delivery, reaching: Self.takenCount)
        }
    }
}
