import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: [
        Crew(.one, parallel: 8, children: 1, count: 150, atMost: 1),
        Crew(.one, parallel: 8, children: 2, count: 300, atMost: 2),
        Crew(.many, parallel: 5, children: 1, count: 500, atMost: 5),
        Crew(.many, parallel: 150, children: 2, count: 6_000, atMost: 300),
    ])
    func `each child uses its full number of parallel requests and never exceeds it`(crew: Crew)
        async throws
    {
        var settings = TestbedSettings()
        settings.children = crew.children
        settings.childrenAtStart = crew.children
        // A single account gets half of the capacity.
        settings.capacity = 400
        settings.parallelRequests = crew.parallel
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = 20
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp(connector: crew.connector)
            try await testbed.startEngine()
            try await testbed.importSubscribers(.init(crew.count, isAndroid: true), into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(crew.count))
            let summary = try testbed.gatewaySummary().fcm
            #expect(summary.parallelStreams == crew.atMost)
        }
    }

    /// - Parameters:
    ///   - ofAccount: `maxGCMConnectPerAccount`.
    ///   - atMost: The number of requests that the accounts of the child have together.
    @Test(
        arguments: [
            (0, 6, .sqlite), (0, 6, .postgresql), (2, 4, .sqlite),
        ] as [(Int, Int, TestbedSettings.StoreEngine)])
    func `two accounts of a child share its parallel requests`(
        ofAccount: Int, atMost: Int, store: TestbedSettings.StoreEngine
    ) async throws {
        let count = 300
        var settings = TestbedSettings(store: store)
        (settings.parallelRequests, settings.parallelRequestsOfAccount) = (6, ofAccount)
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = 20
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            let second = "neotrips-legacy"
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.createAndroidApp(second, credential: .projectKey)
            try await testbed.startEngine()
            for app in [Testbed.androidApp, second] {
                try await testbed.importSubscribers(.init(count, isAndroid: true), into: app)
            }
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp, second]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let summary = try testbed.gatewaySummary().fcm
            #expect(summary.accepted == 2 * count)
            #expect(summary.parallelStreams == atMost)
        }
    }
}

struct Crew: Sendable, CustomTestStringConvertible {
    var connector: Testbed.AndroidConnector
    var parallel: Int
    var children: Int
    var count: Int
    var atMost: Int

    init(_ connector: Testbed.AndroidConnector, parallel: Int, children: Int, count: Int, atMost: Int) {
        self.connector = connector
        self.parallel = parallel
        self.children = children
        self.count = count
        self.atMost = atMost
    }

    var testDescription: String { "\(connector.rawValue), \(children) children of \(parallel)" }
}
