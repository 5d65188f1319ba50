package import PushModel
internal import PushStore
internal import PushWire

/// The settings of a webhook. Creation, changes and views share them.
package struct WebhookFields: Members, Equatable {
    package var url = ""
    package var events: [WebhookEventKind] = []
    package var service: String?
    package var authorities: String?
    package var enabled = true

    package init() {}

    init(_ webhook: Webhook) {
        let order = webhook.order
        (url, events, service) = (order.url, order.kinds.all, order.service)
        (authorities, enabled) = (order.authorities, webhook.disabled == nil)
    }

    package static let members: [Member<Self>] = [
        .field(\.url, "url", "Where it listens: https://, or http:// on the machine itself."),
        .field(\.events, "events", "The kinds of events that it receives."),
        .field(\.service, "service", "Only events of this service's apps. Null: of all services."),
        .field(
            \.authorities, "authorities",
            "Certificates in PEM that may sign the receiver's certificate. Null: those of the system."),
        .field(\.enabled, "enabled", "Whether events are sent to it.", default: true),
    ]

    /// The member `name` of every use case of one webhook.
    static let nameHelp = "The webhook's name."
    /// Of a request with authorities.
    static let maxBodyBytes = 512 << 10
    private static let maxAuthorityBytes = 256 << 10

    /// - Throws: every fault, with the name of its member.
    func check() throws(OperationError) {
        var faults: [String] = []
        do { _ = try WebhookAddress(url) } catch { faults.append("url: \(error)") }
        if events.isEmpty {
            faults.append("events: give one or more of \(WebhookEventKind.words.joined(separator: ", "))")
        }
        if let authorities, !Self.areCertificates(authorities) {
            faults.append(
                "authorities: must be certificates in PEM of at most \(Self.maxAuthorityBytes >> 10) KiB")
        }
        if !faults.isEmpty { throw OperationError(.refused, lines: faults) }
    }

    private static func areCertificates(_ pem: String) -> Bool {
        pem.utf8.count <= maxAuthorityBytes && pem.contains("-----BEGIN CERTIFICATE-----")
            && pem.contains("-----END CERTIFICATE-----") && !pem.contains("PRIVATE KEY")
    }
}

extension WebhookEventKind: Codable, Word {
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

extension Operations {
    /// - Throws: there is none of that name.
    func requireWebhook(_ name: String) throws -> Webhook {
        guard let webhook = try store.webhooks.webhook(named: name) else {
            throw StoreError(.unknown(.webhook, name: name), path: store.path)
        }
        return webhook
    }
}
