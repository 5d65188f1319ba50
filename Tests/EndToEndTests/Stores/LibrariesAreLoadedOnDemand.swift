import Foundation
import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `with a store in a file, neither the master nor its children load PostgreSQL libraries`()
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

    @Test
    func `children load libcurl and its dependencies, and neither the master nor any command loads them`()
        async throws
    {
        try await afterADelivery { _, _, master in
            // A command is the same program as the master and links the same libraries.
            let ofMaster = try maps(of: master.pid)
            #expect(!ofMaster.contains("libcurl"))
            #expect(!master.children.isEmpty)
            for child in master.children {
                let ofChild = try maps(of: child.pid)
                #expect(ofChild.contains("libcurl"))
            }
        }
    }

    /// Runs the story after a delivery, while the master and its children are still running.
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
