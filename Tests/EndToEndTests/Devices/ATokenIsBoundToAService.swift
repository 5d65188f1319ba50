import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Devices {
    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `the bearer of a token that is bound to a service sees and changes nothing else`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        var settings = TestbedSettings()
        (settings.web, settings.store) = (true, store)
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.succeed(["service", "create", "shop", "--label", "Shop"])
            try await testbed.startEngine()
            let address = try await testbed.webAddress()
            let phone = DeviceForm(
                isAndroid: false, token: String(repeating: "a1", count: 32), integrationKey: Testbed.app)
            #expect(try PlainHTTP.post(phone.path, Array(phone.body.utf8), at: address).status == 200)
            let first = try await testbed.submit()
            _ = try await testbed.settle(first)

            func token(_ name: String, _ service: String) async throws -> String {
                let words = ["token", "create", name, "--service", service]
                let made = try await testbed.succeed(words + ["--scope", "read", "--scope", "send"]).output
                return made.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let (own, other) = (try await token("own", Testbed.service), try await token("other", "shop"))
            func ask(
                _ token: String, _ method: String, _ path: String, _ body: String? = nil
            ) throws -> PlainHTTP.Reply {
                try APIRequest(method, path, token: token, body: body).ask(at: address)
            }
            let message =
                #"{"app": "\#(Testbed.app)", "token": "\#(phone.token)", "content": {"title": "t"}}"#
            for path in ["/deliveries/\(first)", "/apps/\(Testbed.app)", "/services/\(Testbed.service)"] {
                #expect(try ask(own, "GET", path).status == 200, "\(path)")
                #expect(try ask(other, "GET", path).status == 404, "\(path)")
            }
            #expect(try ask(own, "POST", "/messages", message).status == 202)
            #expect(try ask(other, "POST", "/messages", message).status == 422)
            #expect(try ask(other, "POST", "/deliveries/\(first)/stop").status == 404)
            for path in ["/deliveries", "/messages", "/apps"] {
                #expect(try !ask(own, "GET", path).body.contains(#""items":[]"#), "\(path)")
                #expect(try ask(other, "GET", path).body.contains(#""items":[]"#), "\(path)")
            }
            #expect(try ask(own, "GET", "/status").status == 403)
            #expect(try !ask(own, "GET", "/services").body.contains("Shop"))
            try await testbed.stopEngine()
        }
    }
}
