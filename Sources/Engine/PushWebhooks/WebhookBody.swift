package import PushModel
package import PushStore
internal import PushWire

/// A batch of events in the form in which a receiver gets it: one JSON object on one line.
///
///     {"webhook":"crm","events":[{"type":"sent","time":"2026-11-23T10:00:00.250Z","delivery":12,…}]}
package struct WebhookBody: Sendable {
    package static let maxEvents = 500
    /// The maximum size of a body. A body with one event may be larger.
    package static let maxBytes = 256 << 10

    package private(set) var bytes: [UInt8]
    package private(set) var events = 0
    /// The number of the last event in the body.
    package private(set) var end: Int64

    /// Creates a body with as many of the events as fit into a batch, starting with the first event.
    /// - Parameters:
    ///   - end: The number of the last event that was examined.
    ///   - cipher: The cipher that creates the ids of messages.
    package init(
        _ webhook: String, _ found: [WebhookEvent], end: Int64, cipher: MessageIDCipher,
        maxBytes: Int = Self.maxBytes
    ) {
        bytes = Self.head(webhook)
        self.end = end
        for event in found {
            var text: [UInt8] = []
            Self.value(of: event, cipher).append(to: &text)
            guard events == 0 || bytes.count + text.count + 3 <= maxBytes, events < Self.maxEvents else {
                break
            }
            if events > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += text
            events += 1
            self.end = events == found.count ? end : event.number
        }
        bytes += Array("]}".utf8)
    }

    /// Creates the body that `webhook test` sends.
    package init(pingOf webhook: String, at now: WallMoment) {
        bytes = Self.head(webhook)
        let ping: JSONValue = ["type": .string("ping"), "time": .string(now.utcText)]
        ping.append(to: &bytes)
        bytes += Array("]}".utf8)
        (events, end) = (1, 0)
    }

    private static func head(_ webhook: String) -> [UInt8] {
        var bytes = Array(#"{"webhook":"#.utf8)
        JSONValue.string(webhook).append(to: &bytes)
        bytes += Array(#","events":["#.utf8)
        return bytes
    }

    private static func value(of event: WebhookEvent, _ cipher: MessageIDCipher) -> JSONValue {
        var members = [
            JSONMember(key: "type", value: .string(event.kind.name)),
            JSONMember(key: "time", value: .string(event.at.utcText)),
        ]
        func add(_ key: String, _ value: String?) {
            if let value { members.append(JSONMember(key: key, value: .string(value))) }
        }
        if let delivery = event.delivery {
            members.append(JSONMember(key: "delivery", value: .integer(delivery.rawValue)))
        }
        add("service", event.service)
        add("app", event.app)
        if let message = event.message, let delivery = event.delivery {
            add("message", cipher.opaqueID(of: message.id, in: delivery).text)
            if message.isTracked {
                add(
                    "messageId",
                    cipher.deviceID(of: message.id, message.ordinal, message.format, in: delivery))
            }
        }
        add("userKey", event.userKey)
        add("failureType", event.failureType?.label)
        add("failureReason", event.failureReason?.label)
        switch event.kind {
        case .failed: add("providerReason", event.providerReason)
        // The engine's own reason: no gateway saw the message.
        case .excluded, .cancelled: add("reason", event.providerReason)
        case .quarantined:
            add("reason", event.providerReason)
            add("source", event.source)
        case .optedOut: add("source", event.source)
        case .sent, .received, .clicked, .expired, .registered, .unregistered: break
        }
        return .object(members)
    }
}
