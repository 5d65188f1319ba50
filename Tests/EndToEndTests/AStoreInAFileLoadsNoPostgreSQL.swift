import Foundation
import Testing
import pushload

extension EndToEnd {
    @Test func `a store in a file loads nothing of PostgreSQL, neither in the master nor in its children`() async throws {
        try await withHouseInAFile { house in
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(100))
            try await house.startEngine()
            let delivery = try await house.submit()
            try await house.settle(delivery)
            let master = try #require(try await house.status().master)
            for process in [master.pid] + master.children.map(\.pid) {
                let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
                let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
                #expect(maps.contains("libc.so") && !maps.contains("libpq"))
            }
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(100))
        }
    }
}
