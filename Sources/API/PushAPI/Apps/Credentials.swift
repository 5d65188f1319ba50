internal import FoundationEssentials
internal import GatewayAPNs
internal import GatewayFCM
internal import GatewayKit
internal import PushConnectors
internal import PushModel
package import PushWire

/// The `credential` member of an app. Error texts about it contain no secrets.
///
///     {"type": "token", "key": "-----BEGIN PRIVATE KEY-----…", "keyId": "ABC1234567", "teamId": "DEF1234567"}
///     {"type": "pkcs12", "data": "<base64>", "password": "…"}   {"type": "pem", "data": "<text>"}
///     {"type": "serviceAccount", "data": {…}}                   {"type": "projectKey", "data": "<text>"}
extension CredentialFile: Readable, Component {
    package static let schemaName = "Credential"
    package static var schemaMembers: [Schema.Member] {
        [
            .init("type", .words(types.map(\.name))),
            .init(
                "data", .oneOf([.string, .map(.any)]), isRequired: false,
                about: "For pkcs12: base64. For serviceAccount: the object. Otherwise: the text."),
            .init("password", .string, isRequired: false, about: "For pkcs12."),
            .init("key", .string, isRequired: false, about: "For token: the text of the .p8 file."),
            .init("keyId", .string, isRequired: false, about: "For token."),
            .init("teamId", .string, isRequired: false, about: "For token."),
            .init(
                "name", .string, isRequired: false,
                about: "The name that errors use for the credential. Default: credential."),
        ]
    }
    package static var sample: CredentialFile? { nil }

    private static let types: [(name: String, members: [String])] = [
        ("token", ["key", "keyId", "teamId"]), ("pkcs12", ["data", "password"]), ("pem", ["data"]),
        ("serviceAccount", ["data"]), ("projectKey", ["data"]),
    ]

    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> CredentialFile? {
        guard case .object(let given) = json else {
            return faults.withholding { $0.refuse(json, at: path, "an object") }
        }
        guard case .string(let name)? = json["type"], let type = types.first(where: { $0.name == name })
        else {
            let names = types.map(\.name).joined(separator: ", ")
            return faults.refuse(json["type"] ?? .null, at: "\(path).type", "one of \(names)")
        }
        let before = faults.count
        let known = ["type", "name"] + type.members
        for member in given where !known.contains(member.key) {
            faults.refuseUnknown(Faults.path(path, member.key), known: known)
        }
        func text(_ key: String) -> String {
            if case .string(let text)? = json[key] { return text }
            faults.note("\(path).\(key)", json[key] == nil ? "missing" : "must be a string")
            return ""
        }
        let contents: Contents
        switch name {
        case "token":
            contents = .token(Array(text("key").utf8), keyID: text("keyId"), teamID: text("teamId"))
        case "pkcs12":
            let data = Data(base64Encoded: text("data"))
            if data == nil { faults.note("\(path).data", "must be base64") }
            contents = .pkcs12(Array(data ?? Data()), password: text("password"))
        case "pem": contents = .pem(Array(text("data").utf8))
        case "serviceAccount":
            var bytes: [UInt8] = []
            if case .object? = json["data"] {
                json["data"]?.append(to: &bytes)
            } else {
                bytes = Array(text("data").utf8)
            }
            contents = .serviceAccount(bytes)
        default: contents = .projectKey(Array(text("data").utf8))
        }
        let file = json["name"] == nil ? "credential" : text("name")
        return faults.count == before ? CredentialFile(name: file, contents: contents) : nil
    }

    package var json: JSONValue? {
        func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }
        let members: [(String, JSONValue)] =
            switch contents {
            case .token(let key, let keyID, let teamID):
                [
                    ("type", .string("token")), ("key", text(key)), ("keyId", .string(keyID)),
                    ("teamId", .string(teamID)),
                ]
            case .pkcs12(let bytes, let password):
                [
                    ("type", .string("pkcs12")), ("data", .string(Data(bytes).base64EncodedString())),
                    ("password", .string(password)),
                ]
            case .pem(let bytes): [("type", .string("pem")), ("data", text(bytes))]
            // Data that is not a JSON object is refused at intake.
            case .serviceAccount(let bytes):
                if let data = try? JSONParser.parse(bytes), case .object = data {
                    [("type", .string("serviceAccount")), ("data", data)]
                } else {
                    [("type", .string("serviceAccount")), ("data", text(bytes))]
                }
            case .projectKey(let bytes): [("type", .string("projectKey")), ("data", text(bytes))]
            }
        return .object((members + [("name", .string(name))]).map { JSONMember(key: $0.0, value: $0.1) })
    }
}

/// A credential as an operator gives it: the contents of a file and the values that belong to the file.
/// Secrets are never printed.
package struct CredentialFile: Sendable, CustomStringConvertible {
    package enum Contents: Sendable {
        /// Apple's token signing key, a `.p8` file.
        case token([UInt8], keyID: String, teamID: String)
        /// A certificate with its key, as exported by a keychain.
        case pkcs12([UInt8], password: String)
        /// A certificate and its unencrypted key.
        case pem([UInt8])
        /// A service account of a Firebase project, in JSON.
        case serviceAccount([UInt8])
        /// A project's server key, for FCM's legacy interface.
        case projectKey([UInt8])
    }

    /// The name of the file in error texts.
    package var name: String
    package var contents: Contents

    package init(name: String, contents: Contents) {
        self.name = name
        self.contents = contents
    }

    package var description: String { "credential in \(name)" }

    var kind: CredentialKind {
        switch contents {
        case .token: .apnsToken
        case .pkcs12, .pem: .apnsCertificate
        case .serviceAccount: .fcmServiceAccount
        case .projectKey: .fcmProjectKey
        }
    }

    /// Performs every check that is possible without the gateway.
    func intake() throws(OperationError) -> VerifiedCredential {
        if let advice = adviceForOtherKind { throw .refused("\(name): \(advice)") }
        do throws(CredentialError) {
            return switch contents {
            case .token(let bytes, let keyID, let teamID):
                try CredentialIntake.token(p8: bytes, keyID: keyID, teamID: teamID)
            case .pkcs12(let bytes, let password): try CredentialIntake.pkcs12(bytes, password: password)
            case .pem(let bytes): try CredentialIntake.pem(certificateAndKey: bytes)
            case .serviceAccount(let bytes): try CredentialIntake.serviceAccount(bytes)
            case .projectKey(let bytes): try CredentialIntake.projectKey(bytes)
            }
        } catch {
            throw .refused("\(name): \(error)")
        }
    }

    /// Advice for a file that contains a different kind of credential than its `type` states; `nil` if no
    /// other kind is recognized in the file.
    private var adviceForOtherKind: String? {
        switch contents {
        case .token(let bytes, _, _), .pem(let bytes), .projectKey(let bytes):
            guard bytes.first == UInt8(ascii: "{") else { return nil }
            return
                "the file is JSON, such as a Firebase service account; "
                + "\(command: "give it with --service-account", api: "its type is serviceAccount")"
        case .serviceAccount(let bytes):
            guard bytes.starts(with: "-----BEGIN".utf8) else { return nil }
            return
                "the file is PEM, such as an Apple token key, not a Firebase service account; "
                + "\(command: "give it with --p8 or --pem", api: "its type is token or pem")"
        case .pkcs12: return nil
        }
    }
}
