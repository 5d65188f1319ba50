import Testing
import pushload

extension EndToEnd.Deliveries {
    /// What a gateway got for each device, and what it got for nobody.
    private static let subscribers = """
        registrationToken,userKey,firstName,vip
        TOKEN-1,ada,"Ada ""the first"" 👩‍💻",true
        TOKEN-2,bob,Bob,false
        TOKEN-3,nobody,,true

        """
    private static let content = """
        {"title": "{{#vip}}Dear {{/vip}}{{firstName}}", "body": "To {{city|your town}}",
         "variables": {"code": "{{firstName}}-{{{{"}}
        """

    @Test(arguments: ["apns", "v1", "legacy"])
    func `each device gets its own words, and whoever lacks a name that is wanted gets none`(
        interface: String
    ) async throws {
        var settings = TestbedSettings()
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        try await withTestbed(settings) { testbed in
            let app = interface == "apns" ? Testbed.app : Testbed.androidApp
            try await testbed.createService()
            switch interface {
            case "apns": try await testbed.createApp(for: .ios)
            case "v1": try await testbed.createAndroidApp()
            default: try await testbed.createAndroidApp(credential: .projectKey)
            }
            let devices = SyntheticSubscribers(3, isAndroid: interface != "apns")
            var csv = Self.subscribers
            for index in 0..<3 {
                csv.replace("TOKEN-\(index + 1)", with: devices.token(index))
            }
            try testbed.folder.write(csv, to: "named.csv")
            try await testbed.succeed(
                ["subscribers", "import", testbed.folder.file("named.csv"), "--app", app])
            var document = DeliveryText(apps: [app])
            document.content = Self.content
            try await testbed.startEngine()
            let delivery = try await testbed.submit(document)
            let counts = try await testbed.settle(delivery).counts
            #expect(counts.sent == 2)
            #expect(counts.excluded == 1)
            let shown = try await testbed.succeed(["delivery", "show", "\(delivery)"])
            #expect(shown.output.contains("no value for {{firstName}}"))
            try await testbed.stopEngine()
            try await testbed.stopGateway()

            let requests = try testbed.gatewayRequests()
            #expect(requests.count == 2)
            let ada = requests.first { $0.token == devices.token(0) }?.body ?? ""
            #expect(ada.contains(#""title":"Dear Ada \"the first\" 👩‍💻""#))
            #expect(ada.contains(#"To your town"#) && ada.contains(#""code":"Ada \"the first\" 👩‍💻-{{""#))
            let bob = requests.first { $0.token == devices.token(1) }?.body ?? ""
            #expect(bob.contains(#""title":"Bob""#) && bob.contains(#""code":"Bob-{{""#))
        }
    }
}
