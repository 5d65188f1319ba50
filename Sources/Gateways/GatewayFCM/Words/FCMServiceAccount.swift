package import PushWire

/// A service account of a Firebase project, as in the JSON file from Google's console.
package struct FCMServiceAccount: Equatable, Sendable, CustomStringConvertible {
    /// Google's own endpoint, used if a file does not name another.
    package static let googleTokenURI = "https://oauth2.googleapis.com/token"

    package var projectID: String
    package var clientEmail: String
    /// Identifies the key within the account; not secret. Older exports do not have it.
    package var privateKeyID: String?
    /// An RSA key, PKCS #8 in PEM.
    package var privateKeyPEM: String
    /// The address where assertions are exchanged for access tokens; it is also the audience of the
    /// assertions.
    package var tokenURI: String

    /// - Throws: ``WireError/credential(_:)`` if a field is not valid. The connector verifies the key itself.
    package init(
        projectID: String, clientEmail: String, privateKeyID: String?, privateKeyPEM: String,
        tokenURI: String = googleTokenURI
    ) throws(WireError) {
        // The id becomes part of a path, so its characters are limited.
        guard (1...128).contains(projectID.utf8.count), projectID.utf8.allSatisfy(Self.isProjectByte) else {
            throw .credential(
                "project_id is not a valid Google project id, which consists of letters, digits, hyphens, "
                    + "dots and colons")
        }
        guard (3...320).contains(clientEmail.utf8.count), clientEmail.utf8.contains(UInt8(ascii: "@")),
            clientEmail.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .credential("client_email is not an e-mail address") }
        if let privateKeyID {
            guard (1...256).contains(privateKeyID.utf8.count),
                privateKeyID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .credential("private_key_id is not a valid key id") }
        }
        try Self.check(pem: privateKeyPEM)
        guard TokenEndpoint(tokenURI) != nil else {
            throw .credential("token_uri is not an https address such as \(Self.googleTokenURI)")
        }
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.privateKeyID = privateKeyID
        self.privateKeyPEM = privateKeyPEM
        self.tokenURI = tokenURI
    }

    /// Decodes the bytes of a file.
    package init(json bytes: [UInt8]) throws(WireError) {
        let object: JSONValue
        do {
            object = try JSONParser.parse(bytes)
        } catch {
            throw .credential("the service account file is not JSON: \(error.description)")
        }
        guard case .object = object else {
            throw .credential("the service account file contains \(object.kind), not an object")
        }
        guard object["project_info"] == nil else {
            throw .credential(
                "this is google-services.json, which belongs in the Android app; create a private key for a "
                    + "service account in the Firebase console and import that file")
        }
        guard object["type"] == .string("service_account") else {
            throw .credential(
                "the file's \"type\" is not \"service_account\"; create a private key for a service account "
                    + "in the Firebase console and import that file")
        }
        try self.init(
            projectID: try Self.required("project_id", of: object),
            clientEmail: try Self.required("client_email", of: object),
            privateKeyID: try Self.optional("private_key_id", of: object),
            privateKeyPEM: try Self.required("private_key", of: object),
            tokenURI: try Self.optional("token_uri", of: object) ?? Self.googleTokenURI)
    }

    /// The host, port and path of ``tokenURI``.
    package var tokenEndpoint: TokenEndpoint {
        // The address was checked when the account was created. If it was changed to an invalid address
        // later, Google's address is used.
        TokenEndpoint(tokenURI) ?? .google
    }

    package var description: String { "service account \(clientEmail) of project \(projectID)" }

    // MARK: Checks

    private static func required(_ key: String, of object: JSONValue) throws(WireError) -> String {
        guard let text = try optional(key, of: object) else {
            throw .credential(
                "the service account file has no \"\(key)\"; download it again and import it unchanged")
        }
        return text
    }

    private static func optional(_ key: String, of object: JSONValue) throws(WireError) -> String? {
        switch object[key] {
        case nil: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        case let other?:
            throw .credential("the service account file's \"\(key)\" is \(other.kind), not a string")
        }
    }

    private static func check(pem: String) throws(WireError) {
        guard pem.contains("-----BEGIN PRIVATE KEY-----") || pem.contains("-----BEGIN RSA PRIVATE KEY-----")
        else {
            throw .credential(
                "private_key holds no private key (PEM, \"BEGIN PRIVATE KEY\"); take the file from the "
                    + "Firebase console unchanged")
        }
        guard pem.utf8.contains(0x0A) else {
            throw .credential(
                "private_key lacks the line breaks that PEM requires (in JSON, each is written as \\n, with "
                    + "one backslash)")
        }
        guard pem.contains("-----END ") else {
            throw .credential("private_key is truncated: it has no \"END PRIVATE KEY\"")
        }
    }

    private static func isProjectByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
