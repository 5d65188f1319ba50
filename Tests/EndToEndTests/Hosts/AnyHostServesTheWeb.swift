import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Hosts {
    private struct Sent: Decodable {
        struct Device: Decodable { var id: String }
        var devices: [Device]
        var isRepeated: Bool
    }
    private struct Submitted: Decodable {
        var id: Int
        var isRepeated: Bool
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `devices and programs can use any host, and each host knows what the other hosts accepted`()
        async throws
    {
        var settings = KillScenario.settings(delayMilliseconds: 10)
        settings.store = .postgresql
        settings.web = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let second = try testbed.launchHost(2)
            try await testbed.waitForHosts(2)
            let one = try await testbed.webAddress()
            let two = try await testbed.webAddress(ofHost: 2)
            // Two devices, each registered through a different host.
            let tokens = ["a1", "b2"].map { String(repeating: $0, count: 32) }
            for (token, address) in zip(tokens, [one, two]) {
                let form = DeviceForm(isAndroid: false, token: token, integrationKey: Testbed.app)
                #expect(try PlainHTTP.post(form.path, Array(form.body.utf8), at: address).status == 200)
            }
            // Every host knows a token's permissions, from its creation to its deletion.
            let made = try await testbed.succeed(
                ["token", "create", "crm", "--scope", "send", "--scope", "read"], onHost: 2
            ).output
            let secret = String(
                made.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("pmta_") } ?? "")
            try Self.sendTwice(to: tokens[1], secret, one, two)
            let delivery = try Self.submitTwice(secret, one, two)
            try await testbed.settle(delivery)
            try await Self.report(delivery, secret, one, two, testbed)
            try await testbed.succeed(["token", "revoke", "crm"])
            try await eventually("the token to be worth nothing on the other host") {
                try APIRequest("GET", "/services", token: secret).ask(at: two).status == 401
            }
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
        }
    }

    /// Sends the same message through each host, with one idempotency key.
    private static func sendTwice(
        to token: String, _ secret: String, _ one: String, _ two: String
    ) throws {
        func send(_ title: String, at address: String) throws -> PlainHTTP.Reply {
            try APIRequest(
                "POST", "/messages", token: secret,
                body: #"{"app": "\#(Testbed.app)", "token": "\#(token)", "content": {"title": "\#(title)"}}"#,
                headers: ["Idempotency-Key": "order 77"]
            ).ask(at: address)
        }
        let answers = [try send("Paid", at: one), try send("Paid", at: two)]
        let sent = try answers.map { try JSONDecoder().decode(Sent.self, from: Data($0.body.utf8)) }
        #expect(sent.map(\.isRepeated) == [false, true])
        #expect(Set(sent.flatMap { $0.devices.map(\.id) }).count == 1)
        #expect(try send("Refunded", at: two).status == 409)
    }

    /// Submits the same delivery through each host, with one idempotency key. - Returns: Its number.
    private static func submitTwice(_ secret: String, _ one: String, _ two: String) throws -> Int {
        func submit(at address: String) throws -> Submitted {
            let reply = try APIRequest(
                "POST", "/deliveries", token: secret, body: DeliveryText().json,
                headers: ["Idempotency-Key": "monday"]
            ).ask(at: address)
            return try JSONDecoder().decode(Submitted.self, from: Data(reply.body.utf8))
        }
        let answers = [try submit(at: two), try submit(at: one)]
        #expect(answers.map(\.isRepeated) == [false, true])
        #expect(Set(answers.map(\.id)).count == 1)
        return answers[0].id
    }

    /// Reports each notification as received through one host, as received again through the other, and as
    /// clicked.
    private static func report(
        _ delivery: Int, _ secret: String, _ one: String, _ two: String, _ testbed: Testbed
    ) async throws {
        let requests = try await Waiting.until("both notifications of the delivery to arrive") {
            let all = try testbed.gatewayRequests().filter { $0.body.contains(#""_dId":"\#(delivery)""#) }
            return all.count == 2 ? all : nil
        }
        for request in requests {
            for (tag, address) in [(1, two), (1, one), (2, two)] {
                let report = try DeviceForm.report(about: request.body, tag: tag)
                #expect(try PlainHTTP.get(report, at: address).status == 200)
            }
        }
        for address in [one, two] {
            let reply = try APIRequest("GET", "/deliveries/\(delivery)/statistics", token: secret)
                .ask(at: address)
            let apps = try JSONDecoder().decode(StatisticsReport.self, from: Data(reply.body.utf8)).apps
            #expect(apps.map(\.sent) == [2] && apps.map(\.received) == [2] && apps.map(\.clicked) == [2])
        }
    }
}
