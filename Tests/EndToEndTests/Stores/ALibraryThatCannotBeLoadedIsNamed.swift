import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `without libcurl, the log names the missing package, and messages wait`() async throws {
        let count = 100
        try await withTestbed { testbed in
            testbed.expectedComplaints = ["a child ended before it did any work"]
            // The first library that the loader finds is not a library.
            try testbed.folder.make("libraries")
            try testbed.folder.write("", to: "libraries/libcurl.so.4")
            let script = """
                #!/bin/sh
                LD_LIBRARY_PATH='\(testbed.folder.file("libraries"))' exec '\(testbed.programs.pushmta)' "$@"

                """
            let program = testbed.folder.file("pushmta-without-libcurl")
            try Folder.write(Array(script.utf8), to: program, mode: 0o700)
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try testbed.launchEngine(program)
            try await testbed.engineIsReady()
            let delivery = try await testbed.submit()
            _ = try await Waiting.until("the engine to say so") {
                testbed.engineLog.contains("libcurl: cannot be loaded; install Debian's libcurl4: ")
                    ? true : nil
            }
            try await testbed.stopEngine()
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
