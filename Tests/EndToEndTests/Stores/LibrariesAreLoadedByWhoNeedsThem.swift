import Foundation
import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `a store in a file loads nothing of PostgreSQL, neither in the master nor in its children`()
        async throws
    {
        try await withTestbedInAFile { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let master = try #require(try await testbed.status().master)
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
        try await withTestbedInAFile { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let master = try #require(try await testbed.status().master)
            // A command is the master's own program, which links what it links.
            #expect(!(try maps(of: master.pid)).contains("libcurl"))
            #expect(!master.children.isEmpty)
            for child in master.children { #expect(try maps(of: child.pid).contains("libcurl")) }
        }
    }

    private func maps(of process: some BinaryInteger) throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
        return String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
    }
}
