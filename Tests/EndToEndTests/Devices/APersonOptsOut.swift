import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Devices {
    /// An app sends the requests with curl; an operator answers a letter.
    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `a person who opts out gets nothing until the person asks for messages again`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        var settings = TestbedSettings()
        (settings.web, settings.keepsWebPort, settings.store) = (true, true, store)
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let client = CurlClient(testbed, port: testbed.ports.web, isSecure: false)
            var phone = DeviceForm(
                isAndroid: false, token: String(repeating: "a1", count: 32), integrationKey: Testbed.app)
            phone.userKey = "anna"
            #expect(try await client.ask(phone.path, form: phone.body).hasPrefix("200 "))
            phone.token = String(repeating: "b2", count: 32)
            phone.userKey = "bert"
            #expect(try await client.ask(phone.path, form: phone.body).hasPrefix("200 "))

            let page = "/nms/mobile/1/optOutIOS.jssp"
            let json = #"{"registrationToken": "\#(phone.token)", "mobileAppUuid": "\#(Testbed.app)"}"#
            #expect(try await client.ask(page, form: json) == #"200 {"status":"ok"}"#)
            // The app registers at its next start.
            #expect(try await client.ask(phone.path, form: phone.body).hasPrefix("200 "))
            try await expect(sent: 1, optedOut: 1, testbed)

            let anna = ["subscribers", "set", "--user-key", "anna", "--state"]
            try await testbed.succeed(anna + ["optedOut", "--reason", "a letter"])
            try await expect(sent: 0, optedOut: 2, testbed)
            try await testbed.succeed(anna + ["valid"])
            #expect(try await client.ask(phone.path, form: phone.body + "&optIn=true").hasPrefix("200 "))
            try await expect(sent: 2, optedOut: 0, testbed)

            let end = "registrationToken=\(phone.token)&mobileAppUuid=\(Testbed.app)"
            let answer = try await client.ask("/nms/mobile/1/unregisterIOS.jssp", form: end)
            #expect(answer == #"200 <?xml version="1.0" encoding="UTF-8"?><unregister status="ok"/>"#)
            try await expect(sent: 1, optedOut: 0, testbed)
            phone.integrationKey = "wrong"
            let wrong = try await client.ask(phone.path, form: phone.body)
            #expect(wrong.hasPrefix("404 "))
            try await eventually("the unknown key to be counted") {
                try await testbed.succeed(["app", "unknown-keys"]).output.contains("wrong")
            }
            try await testbed.stopEngine()
        }
    }

    private func expect(sent: Int, optedOut: Int, _ testbed: Testbed) async throws {
        let delivery = try await testbed.submit()
        let counts = try await testbed.settle(delivery).counts
        #expect(counts.sent == sent && counts.excluded == optedOut)
        let rows = try await testbed.messageLog(delivery).filter { $0.state == "excluded" }
        #expect(rows.allSatisfy { $0.providerReason.contains("opted out") })
    }
}
