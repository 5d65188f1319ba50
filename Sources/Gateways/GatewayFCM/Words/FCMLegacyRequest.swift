import PushModel
package import PushWire

/// A message to FCM's legacy interface (facts: FCM, legacy HTTP API): `POST /fcm/send` with the body that
/// `PayloadTemplate.android` renders for it, for one registration id or for a list of them.
package enum FCMLegacyRequest {
    package static let path = "/fcm/send"
    /// Ids that one request takes.
    package static let maximumRegistrationIDs = 1_000

    /// The fields of every request beyond host and path, which an HTTP/1.1 client writes itself.
    package static func constantFields(key: FCMProjectKey) -> [HeaderField] {
        [
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "authorization", value: authorization(key), isSecret: true),
        ]
    }

    package static func authorization(_ key: FCMProjectKey) -> String { "key=\(key.key)" }

    /// A message that is checked and never sent: whether the gateway accepts the key.
    package static func validationBody(token: String = "connection-test") -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { root in
            root.flag("dry_run", true)
            root.strings("registration_ids", [token])
        }
        return writer.bytes
    }

    /// The registration ids of one request, as the inside of a JSON array: what a template that takes a list
    /// of tokens gets. Results come back in the order of the calls.
    package struct RegistrationIDs: Sendable {
        package private(set) var json: [UInt8] = []
        package private(set) var count = 0

        package init() {}

        package var isFull: Bool { count == FCMLegacyRequest.maximumRegistrationIDs }

        /// - Parameter token: UTF-8.
        /// - Returns: false, and nothing is added, where the list is full.
        package mutating func append(_ token: some Sequence<UInt8>) -> Bool {
            guard !isFull else { return false }
            if count > 0 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            for byte in token { JSONText.appendEscaped(byte, to: &json) }
            json.append(UInt8(ascii: "\""))
            count += 1
            return true
        }

        /// Empty again, with its memory kept.
        package mutating func removeAll() {
            json.removeAll(keepingCapacity: true)
            count = 0
        }
    }
}
