import Foundation
import Glibc
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a master that cannot open more files still answers and reports the shortage`() async throws {
        let count = 100
        try await withTestbed { testbed in
            testbed.expectedComplaints = ["too many open files", "Too many open files"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let master = try #require(try await testbed.status().master).pid
            // The limit is the lowest free descriptor, so the process cannot open anything.
            let open = Set(
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(master)/fd").compactMap {
                    Int($0)
                })
            let lowest = try #require((0...open.count).first { !open.contains($0) })
            let before = try ResourceLimit.set(RLIMIT_NOFILE, rlim_t(lowest), for: master)
            // The query is repeated if it took too long: another thread may use the descriptor that is closed
            // for a client.
            _ = try await Waiting.until("it answers") {
                try? await testbed.status().master?.pid == master ? true : nil
            }
            _ = try await Waiting.until("it reports the error") {
                testbed.logLines("raise LimitNOFILE= of the service, or ulimit -n").isEmpty ? nil : true
            }
            try ResourceLimit.set(RLIMIT_NOFILE, before, for: master)
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
