import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `without libcurl the log names the package, and messages wait for it`() async throws {
        let count = 100
        try await withHouse { house in
            house.expectedComplaints = ["a child ended before it was of any use"]
            // What the loader finds first is no library.
            try house.folder.make("libraries")
            try house.folder.write("", to: "libraries/libcurl.so.4")
            let script = """
                #!/bin/sh
                LD_LIBRARY_PATH='\(house.folder.file("libraries"))' exec '\(house.programs.pushmta)' "$@"

                """
            let program = house.folder.file("pushmta-without-libcurl")
            try Folder.write(Array(script.utf8), to: program, mode: 0o700)
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try house.launchEngine(program)
            try await house.engineIsReady()
            let delivery = try await house.submit()
            _ = try await Waiting.until("the engine to say so") {
                house.engineLog.contains("libcurl: cannot be loaded, install Debian's libcurl4: ")
                    ? true : nil
            }
            try await house.stopEngine()
            try await house.startEngine()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
