import Foundation
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func
        `children that cannot start are reported once, started slowly, and missing for as long as necessary`()
        async throws
    {
        let count = 1_000
        var settings = TestbedSettings()
        settings.childrenAtStart = 0
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["a child ended before it did any work"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            // When the program starts a child, the first library that the child's loader finds is not a
            // library.
            try testbed.folder.make("libraries")
            let program = testbed.folder.file("pushmta-with-other-libraries")
            let script = """
                #!/bin/sh
                LD_LIBRARY_PATH='\(testbed.folder.file("libraries"))' exec '\(testbed.programs.pushmta)' "$@"

                """
            try Folder.write(Array(script.utf8), to: program, mode: 0o700)
            try testbed.launchEngine(program)
            try await testbed.engineIsReady()
            try testbed.folder.write("", to: "libraries/libssl.so.3")
            let delivery = try await testbed.submit()
            let line = "a child ended before it did any work"
            _ = try await Waiting.until("the engine to say so") {
                testbed.engineLog.contains(line) ? true : nil
            }
            let waiting = try await testbed.wait(for: delivery, "all messages to wait") {
                $0.counts.pending == count
            }
            #expect(waiting.counts.failed == 0)

            try FileManager.default.removeItem(atPath: testbed.folder.file("libraries/libssl.so.3"))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(testbed.engineLog.split(separator: "\n").count { $0.contains(line) } == 1)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
