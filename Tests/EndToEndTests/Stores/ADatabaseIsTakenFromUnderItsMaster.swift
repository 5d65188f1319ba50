import Testing
import pushload

extension EndToEnd.Stores {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func
        `a database that is made anew below its master ends it, and nothing is sent for another's deliveries`()
        async throws
    {
        let count = 20_000
        var settings = KillScenario.settings()
        settings.store = .postgresql
        try await withHouse(settings) { house in
            house.expectedComplaints = ["while it was served", "is out of reach", "made anew"]
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 1_000 }
            let database = try #require(house.databaseServer)
            try database.dropDatabases([House.database])
            try database.makeDatabase(House.database)
            let ending = try await #require(house.engine).end()
            #expect(ending.status == 1)
            #expect(house.logLines("was replaced while it was served").count == 1)
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `status shows what a master says while the store's server is away`() async throws {
        var settings = HouseSettings()
        settings.store = .postgresql
        try await withHouse(settings) { house in
            house.expectedComplaints = ["is out of reach"]
            try await house.createApp()
            try await house.startEngine()
            let master = try #require(try await house.status().master)
            try house.databaseServer?.stop(.immediate)
            let status = try await house.pushmta(["status"])
            #expect(status.ending.status == 0)
            #expect(
                status.output.contains("process \(master.pid)") && status.output.contains("is out of reach"))
            try house.databaseServer?.start()
            #expect(try await house.status().master?.pid == master.pid)
        }
    }
}
