package import PushModel
package import PushWire

/// The bytes of a credential: a JSON object with a `kind`. The store seals these bytes, and the link carries
/// them.
extension FCMCredential {
    package var opaque: OpaqueCredential {
        var writer = DocumentWriter()
        writer.object { object in
            switch self {
            case .serviceAccount(let account):
                object.string("kind", "serviceAccount")
                object.string("project", account.projectID)
                object.string("email", account.clientEmail)
                object.string("keyId", account.privateKeyID)
                object.string("privateKey", account.privateKeyPEM)
                object.string("tokenURI", account.tokenURI)
            case .projectKey(let key):
                object.string("kind", "projectKey")
                object.string("key", key.key)
                object.string("fingerprint", key.fingerprint)
            }
        }
        return OpaqueCredential(bytes: writer.bytes)
    }

    /// - Throws: ``WireError/credential(_:)`` if the bytes are not an FCM credential.
    package init(_ opaque: OpaqueCredential) throws(WireError) {
        guard let object = try? JSONParser.parse(opaque.bytes) else { throw Self.unreadable }
        switch object["kind"] {
        case .string("serviceAccount"):
            var keyID: String?
            if object["keyId"] != nil { keyID = try Self.text("keyId", object) }
            self = .serviceAccount(
                try FCMServiceAccount(
                    projectID: try Self.text("project", object), clientEmail: try Self.text("email", object),
                    privateKeyID: keyID, privateKeyPEM: try Self.text("privateKey", object),
                    tokenURI: try Self.text("tokenURI", object)))
        case .string("projectKey"):
            self = .projectKey(
                try FCMProjectKey(
                    try Self.text("key", object), fingerprint: try Self.text("fingerprint", object)))
        default:
            throw Self.unreadable
        }
    }

    private static let unreadable = WireError.credential(
        "the app's credential is not an FCM credential; import the app's credential again")

    private static func text(_ key: String, _ object: JSONValue) throws(WireError) -> String {
        guard case .string(let text)? = object[key] else { throw unreadable }
        return text
    }
}
