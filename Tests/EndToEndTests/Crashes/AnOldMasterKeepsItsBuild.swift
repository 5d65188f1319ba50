import Foundation
import Glibc
import TestSupport
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `a master whose program was replaced keeps using children of its own build until it restarts`()
        async throws
    {
        let count = 20_000
        try await withTestbed(KillScenario.settings(delayMilliseconds: 400)) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let program = try testbed.copyOfEngine()
            try testbed.launchEngine(program.path)
            try await testbed.engineIsReady()
            let delivery = try await testbed.submit()
            try await testbed.wait(for: delivery, "some to be sent") { $0.counts.sent >= count / 20 }

            // The installed program is now unusable, and a child started from it would be reported.
            try program.replace(with: Array("#!/bin/sh\nexit 3\n".utf8))
            let first = try #require(try await testbed.status().master?.children.first)
            testbed.kill(child: first.pid)
            let later = try await testbed.master("another child") { master in
                master.children.first { $0.generation > 2 && $0.state == "working" }
            }
            // The file from which the master was started no longer has a name.
            let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(later.pid)/exe")
            #expect(file == "\(program.path) (deleted)")
            try await eventually("the child to take its name") {
                try String(contentsOfFile: "/proc/\(later.pid)/comm", encoding: .utf8) == "pushmta\n"
            }
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= testbed.settings.capacity)
        }
    }
}
