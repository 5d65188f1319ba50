internal import FoundationEssentials
package import PushWire

extension CredentialFile {
    /// What may stand in the member `credential` of an app: an object with `type` and what belongs to it.
    package static let documentTypes = ["token", "pkcs12", "pem", "serviceAccount", "projectKey"]

    /// Reads the member `credential`; what is wrong with it is told without its secrets.
    ///
    ///     {"type": "token", "key": "-----BEGIN PRIVATE KEY-----…", "keyId": "ABC1234567", "teamId": "DEF1234567"}
    ///     {"type": "pkcs12", "data": "<base64>", "password": "…"}   {"type": "pem", "data": "<text>"}
    ///     {"type": "serviceAccount", "data": {…}}                   {"type": "projectKey", "data": "<text>"}
    package init(document: JSONValue) throws(OperationError) {
        guard case .string(let type)? = document["type"], Self.documentTypes.contains(type) else {
            throw .refused("credential.type: allowed are \(Self.documentTypes.joined(separator: ", "))")
        }
        func text(_ key: String) throws(OperationError) -> String {
            guard case .string(let text)? = document[key] else {
                throw .refused("credential.\(key): missing, or no string")
            }
            return text
        }
        let allowed: [String]
        let contents: Contents
        switch type {
        case "token":
            allowed = ["key", "keyId", "teamId"]
            contents = .token(
                Array(try text("key").utf8), keyID: try text("keyId"), teamID: try text("teamId"))
        case "pkcs12":
            allowed = ["data", "password"]
            guard let data = Data(base64Encoded: try text("data")) else {
                throw .refused("credential.data: not base64")
            }
            contents = .pkcs12(Array(data), password: try text("password"))
        case "pem":
            allowed = ["data"]
            contents = .pem(Array(try text("data").utf8))
        case "serviceAccount":
            allowed = ["data"]
            guard let data = document["data"], case .object = data else {
                throw .refused("credential.data: missing, or no object")
            }
            var bytes: [UInt8] = []
            data.append(to: &bytes)
            contents = .serviceAccount(bytes)
        default:
            allowed = ["data"]
            contents = .projectKey(Array(try text("data").utf8))
        }
        guard case .object(let members) = document,
            members.allSatisfy({ $0.key == "type" || allowed.contains($0.key) })
        else {
            throw .refused("credential: allowed beside type are \(allowed.joined(separator: ", "))")
        }
        self.init(name: "credential", contents: contents)
    }
}
