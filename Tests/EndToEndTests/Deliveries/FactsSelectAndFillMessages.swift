import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `facts of registrations select recipients and fill texts, and a click is an activity`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        var settings = TestbedSettings(store: store)
        settings.web = true
        settings.keepsWebPort = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let client = CurlClient(testbed, port: testbed.ports.web, isSecure: false)
            let devices = SyntheticSubscribers(2)
            for (index, language) in ["fr-FR", "de"].enumerated() {
                var form = DeviceForm(
                    isAndroid: false, token: devices.token(index), integrationKey: Testbed.app)
                (form.language, form.userKey, form.osName) = (language, "user \(index) & Söhne", "iOS")
                form.parameters = [("city", "Köln")]
                #expect(try await client.ask(form.path, form: form.body).hasPrefix("200 "))
            }
            var document = DeliveryText(apps: [Testbed.app])
            document.target = #"""
                {"where": {"osLanguage": {"startsWith": "fr"}, "registeredAt": {">=": "-7d"}, "osName": "iOS",
                           "city": {"contains": "öl"}}}
                """#
            document.content = #"""
                {"title": "{{userKey}}: {{osLanguage}}", "body": "https://example.com/?u={{userKey:url}}"}
                """#
            let delivery = try await testbed.submit(document)
            #expect(try await testbed.settle(delivery).counts.sent == 1)
            let request = try await Waiting.until("the notification to arrive") {
                try testbed.gatewayRequests().first
            }
            #expect(request.token == devices.token(0))
            #expect(request.body.contains(#""title":"user 0 & Söhne: fr-FR""#))
            #expect(request.body.contains("u=user%200%20%26%20S%C3%B6hne\""))
            try await Self.click(request.body, testbed, client, user: "user 0 & Söhne")
        }
    }

    private struct Shown: Decodable {
        var registeredAt: String
        var lastActiveAt: String
    }

    /// Reports a click at least a second after the registration, and waits until it counts as activity.
    private static func click(
        _ body: String, _ testbed: Testbed, _ client: CurlClient, user: String
    ) async throws {
        func shown() async throws -> Shown {
            let result = try await testbed.succeed(["subscribers", "show", "--user-key", user, "--json"])
            return try #require(try JSONDecoder().decode([Shown].self, from: Data(result.output.utf8)).first)
        }
        let before = try await shown()
        #expect(before.lastActiveAt == before.registeredAt)
        try await Waiting.until("the second of the registration to end") {
            Date.now.formatted(.iso8601) > before.registeredAt ? () : nil
        }
        #expect(try await client.ask(try DeviceForm.report(about: body, tag: 2)) == "200 ")
        try await Waiting.until("the click to count") {
            let now = try await shown()
            return now.lastActiveAt > before.lastActiveAt && now.registeredAt == before.registeredAt
                ? () : nil
        }
    }
}
