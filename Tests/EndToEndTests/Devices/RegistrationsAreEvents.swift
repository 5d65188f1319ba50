import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Devices {
    /// One phone gets a new token without an id, its person logs out, and the person opts out on the old token.
    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `a receiver gets the events of registrations, logout and opt-out, which an import does not undo`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        var settings = TestbedSettings(store: store)
        (settings.web, settings.keepsWebPort) = (true, true)
        try await withTestbed(settings) { testbed in
            let receiver = try HTTPReceiver()
            try await testbed.createApp()
            try await testbed.succeed([
                "webhook", "create", "crm", "--url", receiver.url, "--event", "registered", "--event",
                "unregistered", "--event", "optedOut",
            ])
            try await testbed.startEngine()
            let client = CurlClient(testbed, port: testbed.ports.web, isSecure: false)
            let tokens = ["a1", "b2"].map { String(repeating: $0, count: 32) }
            var phone = DeviceForm(isAndroid: false, token: tokens[0], integrationKey: Testbed.app)
            (phone.userKey, phone.model, phone.osName) = ("anna", "iPhone16,2", "iOS")
            let json = #"{"registrationToken": "\#(phone.token)", "mobileAppUuid": "\#(Testbed.app)"}"#
            let refused = try await client.ask(phone.path, form: json)
            #expect(refused.hasPrefix("400 ") && refused.contains("registrationToken=TOKEN&amp;"))

            // The second registration of the same token and user key causes no event.
            for token in [tokens[0], tokens[0], tokens[1]] {
                phone.token = token
                #expect(try await client.ask(phone.path, form: phone.body).hasPrefix("200 "))
            }
            let show = ["subscribers", "show", "--user-key", "anna"]
            let both = try await testbed.succeed(show).output
            #expect(both.contains("may be the same device with its old token"), "\(both)")
            phone.userKey = ""
            #expect(try await client.ask(phone.path, form: phone.body).hasPrefix("200 "))
            let left = try await testbed.succeed(show).output
            #expect(left.contains(tokens[0]) && !left.contains(tokens[1]), "\(left)")

            func fields(_ token: String) -> String {
                "registrationToken=\(token)&mobileAppUuid=\(Testbed.app)"
            }
            let optOut = try await client.ask("/nms/mobile/1/optOutIOS.jssp", form: fields(tokens[0]))
            #expect(optOut.hasPrefix("200 ") && optOut.hasSuffix(#"<optOut status="ok"/>"#), "\(optOut)")
            try testbed.folder.write("token,userKey\n\(tokens[0]),anna\n", to: "people.csv")
            let imported = try await testbed.pushmta([
                "subscribers", "import", testbed.folder.file("people.csv"), "--app", Testbed.app,
            ])
            #expect(imported.ending.status == 0 && imported.complaints.contains("1 of these have opted out"))
            let end = try await client.ask("/nms/mobile/1/unregisterIOS.jssp", form: fields(tokens[1]))
            #expect(end.hasPrefix("200 "))
            try await eventually("all events to be delivered") {
                try await testbed.webhook("crm").told == 5
            }
            let events = try receiver.requests.flatMap { try WebhookBatch($0).events }
            #expect(
                events.map(\.type) == [
                    "registered", "registered", "registered", "optedOut", "unregistered",
                ])
            // An event has the present user key, which the second token may have lost by then.
            #expect([events.first, events.dropLast().last].allSatisfy { $0?.userKey == "anna" })
            #expect(try await testbed.succeed(show).output.contains("optedOut"))
            try await testbed.stopEngine()
        }
    }
}
