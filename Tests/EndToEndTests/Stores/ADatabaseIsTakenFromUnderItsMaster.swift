import Testing
import pushload

extension EndToEnd.Stores {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `if a database is recreated under its master, the master ends and sends nothing from the new one`()
        async throws
    {
        let count = 20_000
        var settings = KillScenario.settings(stopsAfter: [2_000])
        settings.store = .postgresql
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["while it was served", "cannot be reached", "recreated"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            try await testbed.submit()
            let database = try #require(testbed.databaseServer)
            try await testbed.amidDelivery {
                try database.query("DROP DATABASE \(Testbed.database) WITH (FORCE)")
                try database.makeDatabase(Testbed.database)
            }
            let ending = try await #require(testbed.engine).end()
            #expect(ending.status == 1)
            #expect(testbed.logLines("was replaced while it was served").count == 1)
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `status shows the master's report while the database server is unavailable`() async throws {
        var settings = TestbedSettings()
        settings.store = .postgresql
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["cannot be reached"]
            try await testbed.createApp()
            try await testbed.startEngine()
            let master = try #require(try await testbed.status().master)
            try testbed.databaseServer?.stop(.immediate)
            let status = try await testbed.pushmta(["status"])
            #expect(status.ending.status == 0)
            #expect(
                status.output.contains("process \(master.pid)") && status.output.contains("cannot be reached")
            )
            try testbed.databaseServer?.start()
            #expect(try await testbed.status().master?.pid == master.pid)
        }
    }
}
