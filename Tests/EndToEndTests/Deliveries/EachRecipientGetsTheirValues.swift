import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `each recipient receives the values that the delivery defines for them`() async throws {
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.createApp(for: .ios)
            let devices = SyntheticSubscribers(3)
            try testbed.folder.write(
                "registrationToken,userKey,firstName\n\(devices.token(0)),ada,Ada\n"
                    + "\(devices.token(1)),bob,Bob\n\(devices.token(2)),eve,Eve\n", to: "named.csv")
            try await testbed.succeed(
                ["subscribers", "import", testbed.folder.file("named.csv"), "--app", Testbed.app])
            var document = DeliveryText(apps: [Testbed.app])
            document.content = #"{"body": "{{firstName}}: {{code}}", "variables": {"code": "{{code}}"}}"#
            document.target = #"""
                {"recipients": [{"userKey": "ada", "variables": {"code": "A\"1\" 👩‍💻"}}, {"userKey": "eve"},
                 {"userKey": "bob", "variables": {"code": 2, "firstName": "Robert"}}]}
                """#
            let delivery = try await testbed.submit(document)
            try await testbed.startEngine()
            let counts = try await testbed.settle(delivery).counts
            #expect(counts.sent == 2 && counts.excluded == 1)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.count == 2)
            let ada = requests.first { $0.token == devices.token(0) }?.body ?? ""
            #expect(ada.contains(#""body":"Ada: A\"1\" 👩‍💻""#) && ada.contains(#""code":"A\"1\" 👩‍💻""#))
            let bob = requests.first { $0.token == devices.token(1) }?.body ?? ""
            #expect(bob.contains(#""body":"Robert: 2""#))
        }
    }

    /// The gateway must receive a request for each of these devices, except for the device of `nobody`, who
    /// has no first name.
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
    func `each device receives its own text, and a device without a required value receives nothing`(
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
