import Glibc
import Testing
import pushload

extension EndToEnd.Stores {
    private static let takenCount = 20_000

    /// A delivery in whose middle the store's files change: the master ends by itself with 1 and one critical
    /// line.
    private static func inMidDelivery(
        _ change: (House, _ store: String) async throws -> Void,
        _ story: (House, _ delivery: Int) async throws -> Void
    ) async throws {
        try await withHouseInAFile(KillScenario.settings()) { house in
            house.expectedComplaints = ["while it was served"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(Self.takenCount))
            try await house.startEngine()
            try await house.stopEngine()
            let store = house.folder.file("var/pushmta.db")
            try Folder.write(try Folder.read(store), to: house.folder.file("backup.db"))
            try await house.startEngine()
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 2_000 }
            try await change(house, store)
            let ending = try await #require(house.engine).end()
            #expect(ending.status == 1)
            #expect(house.logLines("critical").count == 1)
            try await story(house, delivery)
        }
    }

    /// A command that comes in between makes an empty log of the same name, which is nobody else's.
    @Test(arguments: [false, true])
    func `a log that is removed ends the master, and what it had recorded is not sent again`(
        isAskedFor: Bool
    ) async throws {
        try await Self.inMidDelivery { house, store in
            unsafe unlink(store + "-wal")
            if isAskedFor { _ = try await house.pushmta(["service", "list"]) }
        } _: { house, delivery in
            try await house.startEngine()
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(Self.takenCount).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= house.settings.room * house.settings.children)
        }
    }

    @Test func `a backup put in the store's place ends the master, who writes nothing to it`() async throws {
        try await Self.inMidDelivery { house, store in
            unsafe _ = rename(store, house.folder.file("var/moved.db"))
            try Folder.write(try Folder.read(house.folder.file("backup.db")), to: store)
        } _: { house, delivery in
            #expect(
                try Folder.read(house.folder.file("var/pushmta.db"))
                    == Folder.read(house.folder.file("backup.db")))
            // The delivery is in the file that was moved; with its log, all of it that was recorded is.
            let store = house.folder.file("var/pushmta.db")
            for suffix in ["-wal", "-shm"] {
                unsafe _ = rename(store + suffix, house.folder.file("var/moved.db\(suffix)"))
            }
            #expect(try await house.pushmta(["delivery", "show", "\(delivery)"]).ending.status == 3)
            for suffix in ["", "-wal", "-shm"] {
                unsafe unlink(store + suffix)
                unsafe _ = rename(house.folder.file("var/moved.db\(suffix)"), store + suffix)
            }
            #expect(try await house.show(delivery).counts.sent >= 2_000)
            try await house.startEngine()
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(Self.takenCount).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= house.settings.room * house.settings.children)
        }
    }
}
