import Foundation
import Glibc
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a master that can open no more files still answers, and says what is short`() async throws {
        let count = 100
        try await withHouse { house in
            house.expectedComplaints = ["too many open files", "Too many open files"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let master = try #require(try await house.status().master).pid
            // The lowest that is free, so that nothing can be opened.
            let open = Set(
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(master)/fd").compactMap {
                    Int($0)
                })
            let lowest = try #require((0...open.count).first { !open.contains($0) })
            let before = try ResourceLimit.set(RLIMIT_NOFILE, rlim_t(lowest), for: master)
            #expect(try await house.status().master?.pid == master)
            _ = try await Waiting.until("it says so") {
                house.logLines("raise LimitNOFILE= of the service, or ulimit -n").isEmpty ? nil : true
            }
            try ResourceLimit.set(RLIMIT_NOFILE, before, for: master)
            let delivery = try await house.submit()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
