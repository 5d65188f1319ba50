import Foundation
import PushCrypto
import TestSupport
import Testing
import pushload

extension EndToEnd.Deliveries {
    /// Three deliveries contain refused, failed and sent messages. The log is the reference.
    @Test func `a receiver gets exactly the outcomes in the delivery log, over TLS`() async throws {
        let count = 1_500
        var settings = TestbedSettings()
        settings.gateway.rules = """
            * status 410 Unregistered every 7
            * status 503 ServiceUnavailable every 11 times 50

            """
        settings.retry = TestbedSettings.Retry(count: 50, period: "1s", minimumDelays: false)
        try await withTestbed(settings) { testbed in
            let refusals = 3
            let receiver = try HTTPReceiver(certificate: testbed.folder.file("certs/server.pem")) {
                $0.number <= refusals ? .status(500) : .status(204)
            }
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            // The system does not trust the test authority.
            try await testbed.succeed([
                "webhook", "create", "other", "--url", receiver.url, "--event", "sent",
            ])
            let secret = try await testbed.succeed([
                "webhook", "create", "crm", "--url", receiver.url, "--event", "sent", "--event", "failed",
                "--ca-file", testbed.folder.file("certs/ca.pem"),
            ]).output
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let log = try await testbed.messageLog(delivery)
            let ended = log.filter { $0.state == "sent" || $0.state == "failed" }
            try await eventually("all events to be delivered") {
                try await testbed.webhook("crm").told == ended.count
            }
            let other = try await testbed.webhook("other")
            #expect(other.told == 0 && other.lastAnswer?.contains("certificate is not trusted") == true)
            try await testbed.stopEngine()

            let key = try #require(Data(base64Encoded: String(secret.dropLast().dropFirst(6))))
            var told: [String: WebhookBatch.Event] = [:]
            for request in receiver.requests {
                #expect(request.isSigned(with: key))
                guard request.number > refusals else { continue }
                for event in try WebhookBatch(request).events {
                    let id = try #require(event.messageId)
                    #expect(told.updateValue(event, forKey: id) == nil, "delivered twice")
                }
            }
            #expect(told.count == ended.count && ended.count == count)
            #expect(ended.contains { $0.state == "failed" } && ended.contains { $0.state == "sent" })
            for row in ended {
                let event = told[row.messageId]
                #expect(event?.type == row.state && event?.userKey == row.userKey)
                #expect(event?.delivery == delivery && event?.app == Testbed.app)
                guard row.state == "failed" else { continue }
                #expect(
                    event?.failureReason == row.failureReason && event?.providerReason == row.providerReason)
            }
        }
    }
}

/// A batch in the form in which a receiver decodes it.
struct WebhookBatch: Decodable {
    struct Event: Decodable {
        var type: String
        var delivery: Int?
        var app: String?
        var messageId: String?
        var userKey: String?
        var failureReason: String?
        var providerReason: String?
    }
    var webhook: String
    var events: [Event]

    init(_ request: HTTPReceiver.Request) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(request.body))
    }
}

/// The output of `webhook show --json`.
struct WebhookReport: Decodable {
    var told: Int
    var dropped: Int
    var behind: Int
    var lastAnswer: String?
}

extension Testbed {
    func webhook(_ name: String) async throws -> WebhookReport {
        let shown = try await succeed(["webhook", "show", name, "--json"])
        return try JSONDecoder().decode(WebhookReport.self, from: Data(shown.output.utf8))
    }
}

extension HTTPReceiver.Request {
    /// Verifies the signature with an independent implementation of the specification.
    func isSigned(with secret: Data) -> Bool {
        let signed =
            Array("\(headers["webhook-id"] ?? "").\(headers["webhook-timestamp"] ?? "").".utf8) + body
        let code = Data(HMACSHA256.code(for: signed, using: SymmetricKey(Array(secret))))
        return headers["webhook-signature"]?.split(separator: " ")
            .contains { $0 == "v1,\(code.base64EncodedString())" } == true
    }
}
