package import PushModel
package import PushWire

/// The bytes of a credential: a JSON object with a `kind`. The store seals these bytes, and the link carries
/// them.
extension APNsCredential {
    package var opaque: OpaqueCredential {
        var writer = DocumentWriter()
        writer.object { object in
            switch self {
            case .token(let key):
                object.string("kind", "token")
                object.string("keyId", key.keyID)
                object.string("teamId", key.teamID)
                object.string("privateKey", key.privateKeyPEM)
            case .certificate(let certificate):
                object.string("kind", "certificate")
                object.string("certificate", certificate.certificatePEM)
                object.string("privateKey", certificate.privateKeyPEM)
                object.string("fingerprint", certificate.fingerprint)
                object.integer("notAfter", certificate.notAfter?.secondsSince1970)
                object.strings("topics", certificate.topics)
            }
        }
        return OpaqueCredential(bytes: writer.bytes)
    }

    /// - Throws: ``WireError/credential(_:)`` if the bytes are not an APNs credential.
    package init(_ opaque: OpaqueCredential) throws(WireError) {
        guard let object = try? JSONParser.parse(opaque.bytes) else { throw Self.unreadable }
        switch object["kind"] {
        case .string("token"):
            self = .token(
                try APNsSigningKey(
                    keyID: try Self.text("keyId", object), teamID: try Self.text("teamId", object),
                    privateKeyPEM: try Self.text("privateKey", object)))
        case .string("certificate"):
            var notAfter: WallTime?
            if case .integer(let seconds)? = object["notAfter"] {
                notAfter = WallTime(secondsSince1970: seconds)
            }
            var topics: [String] = []
            if case .array(let elements)? = object["topics"] {
                for case .string(let topic) in elements { topics.append(topic) }
            }
            self = .certificate(
                try APNsCertificate(
                    certificatePEM: try Self.text("certificate", object),
                    privateKeyPEM: try Self.text("privateKey", object),
                    fingerprint: try Self.text("fingerprint", object), notAfter: notAfter, topics: topics))
        default:
            throw Self.unreadable
        }
    }

    private static let unreadable = WireError.credential(
        "the app's credential is not an APNs credential; import the app's credential again")

    private static func text(_ key: String, _ object: JSONValue) throws(WireError) -> String {
        guard case .string(let text)? = object[key] else { throw unreadable }
        return text
    }
}
