import Testing
import pushload

extension EndToEnd.Deliveries {
    private static let languages = """
        {"title": "{{sum:number(2)|none}}", "body": "Sale",
         "languages": {"fr": {"body": "Soldes"}, "fr-CA": {"body": "Aubaines"}}}
        """

    @Test func `each device receives the content in its language, with that language's number format`()
        async throws
    {
        var settings = TestbedSettings()
        settings.web = true
        settings.keepsWebPort = true
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let client = CurlClient(testbed, port: testbed.ports.web, isSecure: false)
            let said = [("fr-FR", "1\u{202F}234,50"), ("fr_CA", "1\u{A0}234,50"), ("en-US", "1,234.50")]
            let devices = SyntheticSubscribers(said.count)
            for (index, (language, _)) in said.enumerated() {
                var form = DeviceForm(
                    isAndroid: false, token: devices.token(index), integrationKey: Testbed.app)
                form.language = language
                form.parameters = [("sum", "1234.5")]
                let answer = try await client.ask(form.path, form: form.body)
                #expect(answer.hasPrefix("200 "))
            }
            var document = DeliveryText(apps: [Testbed.app])
            document.content = Self.languages
            let delivery = try await testbed.submit(document)
            #expect(try await testbed.settle(delivery).counts.sent == said.count)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            for (index, body) in ["Soldes", "Aubaines", "Sale"].enumerated() {
                let got = requests.first { $0.token == devices.token(index) }?.body ?? ""
                #expect(
                    got.contains("\"title\":\"\(said[index].1)\"") && got.contains("\"body\":\"\(body)\""))
            }
        }
    }
}
