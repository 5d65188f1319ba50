import Foundation
import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `a store in a file loads nothing of PostgreSQL, neither in the master nor in its children`()
        async throws
    {
        try await afterADelivery { testbed, delivery, master in
            for process in [master.pid] + master.children.map(\.pid) {
                let maps = try maps(of: process)
                #expect(maps.contains("libc.so") && !maps.contains("libpq"))
            }
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(100))
        }
    }

    @Test func `libcurl and what it brings are loaded by children, not by the master nor by a command`()
        async throws
    {
        try await afterADelivery { _, _, master in
            // A command is the master's own program, which links what it links.
            let ofMaster = try maps(of: master.pid)
            #expect(!ofMaster.contains("libcurl"))
            #expect(!master.children.isEmpty)
            for child in master.children {
                let ofChild = try maps(of: child.pid)
                #expect(ofChild.contains("libcurl"))
            }
        }
    }

    /// While master and children still run.
    private func afterADelivery(
        _ look: (Testbed, _ delivery: Int, StatusReport.Master) async throws -> Void
    ) async throws {
        try await withTestbedInAFile { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let master = try #require(try await testbed.status().master)
            try await look(testbed, delivery, master)
        }
    }

    private func maps(of process: some BinaryInteger) throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
        return String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
    }
}
