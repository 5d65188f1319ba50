import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Deliveries {
    /// The key lets a caller that received no answer repeat the request.
    @Test
    func `a message that a program sends with one request arrives once, even if the master is killed`()
        async throws
    {
        let count = 40
        var settings = KillScenario.settings(capacity: 100, delayMilliseconds: 50)
        settings.web = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.startEngine()
            let file = testbed.folder.file("var/api.token")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            #expect(
                try APIRequest("GET", "/status", token: "pmta_guess").ask(at: await testbed.webAddress())
                    .status == 401)

            var ids: [Int: String] = [:]
            var isKilled = false
            while ids.count < count {
                let address = try await testbed.webAddress()
                for number in (0..<count) where ids[number] == nil {
                    let message = """
                        {"app": "\(Testbed.app)", "token": "\(SyntheticSubscribers(count).token(number))",
                         "content": {"title": "Message \(number % 3)"}}
                        """
                    let request = APIRequest(
                        "POST", "/messages", token: token, body: message,
                        headers: ["Idempotency-Key": "message \(number)"])
                    if number == count / 2, !isKilled {
                        isKilled = true
                        // Sends the request without waiting for the answer.
                        let socket = try PlainHTTP.connect(to: address)
                        try PlainHTTP.send(request.bytes(for: address), on: socket)
                        _ = try await testbed.killMaster()
                        close(socket)
                        break
                    }
                    let reply = try request.ask(at: address)
                    #expect(reply.status == 202, "\(reply.body)")
                    ids[number] = try Accepted(reply.body).devices[0].id
                }
                if testbed.engine?.isRunning != true { try await testbed.startEngine() }
            }
            let address = try await testbed.webAddress()
            #expect(Set(ids.values).count == count)
            for id in ids.values { try await Self.isSent(id, token, at: address) }
            let list = try APIRequest("GET", "/deliveries", token: token).ask(at: address)
            let delivery = try #require(try Deliveries(list.body).items.only).id
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= 2 * testbed.settings.capacity)
        }
    }

    private static func isSent(_ id: String, _ token: String, at address: String) async throws {
        try await eventually("message \(id) to be sent") {
            let reply = try APIRequest("GET", "/messages/\(id)", token: token).ask(at: address)
            #expect(reply.status == 200)
            return reply.body.contains(#""state":"sent""#) || reply.body.contains(#""state": "sent""#)
        }
    }

    private struct Accepted: Decodable {
        struct Device: Decodable { var id: String }
        var devices: [Device]
        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }
    private struct Deliveries: Decodable {
        struct Item: Decodable { var id: Int }
        var items: [Item]
        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }
}

extension Array {
    /// `nil` if there are several elements or none.
    fileprivate var only: Element? { count == 1 ? first : nil }
}
