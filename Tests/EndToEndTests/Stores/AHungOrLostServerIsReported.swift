import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Stores {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `devices and programs are asked to retry every request while the database server is unavailable`()
        async throws
    {
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.web = true
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["cannot be reached", "trying again", "the engine is stalled"]
            try await testbed.createApp()
            try await testbed.startEngine()
            let address = try await testbed.webAddress()
            let token = String(Folder.text(testbed.folder.file("var/api.token")).prefix { $0 != "\n" })
            var form = DeviceForm(
                isAndroid: false, token: String(repeating: "a1", count: 32), integrationKey: Testbed.app)
            #expect(try PlainHTTP.post(form.path, Array(form.body.utf8), at: address).status == 200)
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let request = try await Waiting.until("the notification to arrive") {
                try testbed.gatewayRequests().first
            }
            let report = try DeviceForm.report(about: request.body, tag: 1)

            try testbed.databaseServer?.stop(.immediate)
            // Neither this message nor this app has been looked up before.
            #expect(try PlainHTTP.get(report, at: address).status == 503)
            form.integrationKey = "another"
            let refused = try PlainHTTP.post(form.path, Array(form.body.utf8), at: address)
            #expect(refused.status == 503 && refused.body.contains("BUSY"))
            #expect(refused.header("Retry-After") != nil)
            for path in [
                "/services", "/apps", "/deliveries", "/deliveries/\(delivery)", "/subscribers?userKey=ada",
            ] {
                #expect(try APIRequest("GET", path, token: token).ask(at: address).status == 503, "\(path)")
            }
            let sent = #"{"app": "\#(Testbed.app)", "userKey": "ada", "content": {"title": "Hello"}}"#
            for (path, body) in [("/messages", sent), ("/deliveries", DeliveryText().json)] {
                let reply = try APIRequest("POST", path, token: token, body: body).ask(at: address)
                #expect(reply.status == 503, "\(path)")
            }

            try testbed.databaseServer?.start()
            try await eventually("the report to be recorded") {
                try PlainHTTP.get(report, at: address).status == 200
            }
        }
    }

    /// The server receives each commit and does not answer, as if a synchronous standby were missing.
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `hanging commits raise an alarm until they complete`() async throws {
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.web = true
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["the engine is stalled", "the lease cannot be renewed"]
            try await testbed.createApp()
            try await testbed.startEngine()
            let address = try await testbed.webAddress()
            #expect(try PlainHTTP.get("/readyz", at: address).status == 200)
            let server = try #require(testbed.databaseServer)
            try server.query(
                "ALTER SYSTEM SET synchronous_standby_names = 'missing'; SELECT pg_reload_conf();")
            try await Waiting.until("the alarm") {
                testbed.logLines("the engine is stalled").isEmpty ? nil : ()
            }
            let status = try await testbed.pushmta(["status", "--check"])
            #expect(status.ending.status == 4 && status.output.contains("standby"))
            #expect(
                try PlainHTTP.get("/metrics", at: address).body.contains(#"pushmta_alarms{kind="store"} 1"#))
            #expect(try PlainHTTP.get("/readyz", at: address).status == 503)
            try server.query("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf();")
            try await eventually("the end of the alarm") {
                try PlainHTTP.get("/readyz", at: address).status == 200
            }
        }
    }
}
