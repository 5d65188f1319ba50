import PushModel
package import PushWire

/// A message to FCM's legacy interface (facts: FCM, legacy HTTP API): `POST /fcm/send` with the body that
/// `PayloadTemplate.android` renders, for one registration id or for a list of registration ids.
package enum FCMLegacyRequest {
    package static let path = "/fcm/send"
    /// The maximum number of ids in one request.
    package static let maximumRegistrationIDs = 1_000

    /// Returns the fields of every request except host and path, which an HTTP/1.1 client writes itself.
    package static func constantFields(key: FCMProjectKey) -> [HeaderField] {
        [
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "authorization", value: authorization(key), isSecret: true),
        ]
    }

    package static func authorization(_ key: FCMProjectKey) -> String { "key=\(key.key)" }

    /// Returns the body of a message that the gateway checks but does not deliver. It tests whether the
    /// gateway accepts the key.
    package static func validationBody(token: String = "connection-test") -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { root in
            root.flag("dry_run", true)
            root.strings("registration_ids", [token])
        }
        return writer.bytes
    }

    /// The registration ids of one request, as the elements of a JSON array without its brackets. They are
    /// the input of a template that takes a list of tokens. The gateway's results have the order of the calls
    /// of ``append(_:)``.
    package struct RegistrationIDs: Sendable {
        package private(set) var json: [UInt8] = []
        package private(set) var count = 0

        package init() {}

        package var isFull: Bool { count == FCMLegacyRequest.maximumRegistrationIDs }

        /// - Parameter token: The token in UTF-8.
        /// - Returns: `false` if the list is full, in which case nothing is added.
        package mutating func append(_ token: some Sequence<UInt8>) -> Bool {
            guard !isFull else { return false }
            if count > 0 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            for byte in token { JSONText.appendEscaped(byte, to: &json) }
            json.append(UInt8(ascii: "\""))
            count += 1
            return true
        }

        /// Empties the list and keeps its memory.
        package mutating func removeAll() {
            json.removeAll(keepingCapacity: true)
            count = 0
        }
    }
}
