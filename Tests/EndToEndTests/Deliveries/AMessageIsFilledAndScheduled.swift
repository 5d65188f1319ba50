import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `a message from a template arrives with its values at its time, although the engine is killed`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        try await withTestbed(TestbedSettings(store: store)) { testbed in
            let devices = SyntheticSubscribers(2)
            try await testbed.createApp()
            try await testbed.importSubscribers(devices)
            try testbed.folder.write(
                #"{"content": {"title": "{{name|Hello}}", "body": "Your code: {{code}}"}}"#, to: "code.json")
            try await testbed.succeed([
                "template", "save", "code", "--service", Testbed.service, testbed.folder.file("code.json"),
            ])
            try await testbed.startEngine()
            let send = [
                "send", "--app", Testbed.app, "--token", devices.token(0), "--template", "code",
            ]
            let lacking = try await testbed.pushmta(send + ["--variable", "name=Anna"])
            #expect(lacking.ending.status == 3 && lacking.output.isEmpty)
            let start = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 10))
            let sent = try await testbed.succeed(
                send + ["--variable", #"code=A"1" 👩‍💻"#, "--variable", "name=Anna", "--send-at", start])
            let id = String(sent.output.dropLast())
            let isScheduled = try await state(of: id, testbed) == "scheduled"
            #expect(isScheduled || Date() > time(start))
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            try await eventually("its time comes") { try await state(of: id, testbed) == "sent" }
            #expect(Date() >= time(start))
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.map(\.token) == [devices.token(0)])
            #expect(requests.first?.body.contains(#""body":"Your code: A\"1\" 👩‍💻""#) == true)
            #expect(requests.first?.body.contains(#""title":"Anna""#) == true)
        }
    }

    @Test(arguments: [TestbedSettings.StoreEngine.sqlite, .postgresql])
    func `a receiver gets the event of each message that is not sent, once`(
        store: TestbedSettings.StoreEngine
    ) async throws {
        try await withTestbed(TestbedSettings(store: store)) { testbed in
            let devices = SyntheticSubscribers(4)
            let receiver = try HTTPReceiver()
            try await testbed.createApp()
            try await testbed.importSubscribers(devices)
            try await testbed.succeed([
                "webhook", "create", "crm", "--url", receiver.url, "--event", "excluded", "--event",
                "expired", "--event", "cancelled",
            ])
            try await testbed.succeed([
                "quarantine", "add", "--app", Testbed.app, "--token", devices.token(0), "--reason", "test",
            ])
            func send(_ number: Int, _ options: String...) async throws -> String {
                let token = devices.token(number)
                let sent = try await testbed.succeed(
                    ["send", "--app", Testbed.app, "--token", token, "--title", "x"] + options)
                return String(sent.output.prefix { $0 != " " && $0 != "\n" })
            }
            // The validity ends before an engine runs.
            let expired = try await send(2, "--validity", "1s")
            let end = time(try await member("expiresAt", of: expired, testbed) ?? "")
            try await eventually("the validity ends") { Date() > end }
            try await testbed.startEngine()
            let excluded = try await send(0)
            let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
            let cancelled = try await send(1, "--send-at", tomorrow)
            for _ in 0..<2 { try await testbed.succeed(["message", "cancel", cancelled]) }
            try await eventually("all events to be delivered") {
                try await testbed.webhook("crm").told == 3
            }
            try await testbed.stopEngine()
            var told: [String: String] = [:]
            for request in receiver.requests {
                let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
                for event in try #require(body?["events"] as? [[String: Any]]) {
                    let id = try #require(event["message"] as? String)
                    #expect(told.updateValue(event["type"] as? String ?? "", forKey: id) == nil)
                }
            }
            #expect(told == [excluded: "excluded", cancelled: "cancelled", expired: "expired"])
        }
    }

    private func time(_ text: String) -> Date {
        ISO8601DateFormatter().date(from: text) ?? .distantFuture
    }

    private func state(of id: String, _ testbed: Testbed) async throws -> String? {
        try await member("state", of: id, testbed)
    }

    private func member(_ name: String, of id: String, _ testbed: Testbed) async throws -> String? {
        let shown = try await testbed.succeed(["message", "show", id, "--json"])
        let view = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
        return view?[name] as? String
    }
}
