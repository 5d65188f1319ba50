import Glibc
import Testing
import pushload

extension EndToEnd.Deliveries {
    /// The engine is started with all environment variables that libcurl, OpenSSL and a shell would obey, and
    /// with few descriptors.
    @Test func `the engine logs no TLS keys, uses no proxy and raises its open-file limit to the maximum`()
        async throws
    {
        let count = 200
        try await withTestbed { testbed in
            let keys = testbed.folder.file("tls-keys")
            let script = """
                #!/bin/sh
                ulimit -S -n 200
                SSLKEYLOGFILE='\(keys)' https_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
                export SSLKEYLOGFILE https_proxy ALL_PROXY
                exec '\(testbed.programs.pushmta)' "$@"

                """
            let program = testbed.folder.file("pushmta-in-a-bad-environment")
            try Folder.write(Array(script.utf8), to: program, mode: 0o700)
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try testbed.launchEngine(program)
            try await testbed.engineIsReady()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(Folder.text(keys).isEmpty)
            #expect(unsafe access(keys, F_OK) != 0)

            let master = try await #require(testbed.status().master)
            for process in [master.pid] + master.children.map(\.pid) {
                let limits = Folder.text("/proc/\(process)/limits").split(separator: "\n")
                let words = try #require(limits.first { $0.hasPrefix("Max open files") }).split(
                    separator: " ")
                let (soft, hard) = (try #require(Int(words[3])), try #require(Int(words[4])))
                #expect(soft == min(hard, 1 << 20))
            }
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
