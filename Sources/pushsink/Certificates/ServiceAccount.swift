internal import FoundationEssentials

/// A provider's account with FCM v1: the content of `service-account.json`, in Google's form.
package struct ServiceAccount: Codable, Equatable, Sendable {
    package var type = "service_account"
    package var projectID: String
    package var privateKeyID: String
    /// PKCS#8 PEM.
    package var privateKey: String
    package var clientEmail: String
    package var clientID: String
    package var tokenURI: String

    package static let defaultProjectID = "neotrips-example"
    package static let googleTokenURI = "https://oauth2.googleapis.com/token"

    private enum CodingKeys: String, CodingKey {
        case type
        case projectID = "project_id"
        case privateKeyID = "private_key_id"
        case privateKey = "private_key"
        case clientEmail = "client_email"
        case clientID = "client_id"
        case tokenURI = "token_uri"
    }

    /// A new account with this key.
    package init(projectID: String, privateKey: String, tokenURI: String) {
        self.projectID = projectID
        self.privateKey = privateKey
        self.tokenURI = tokenURI
        let digits = Array("0123456789abcdef")
        privateKeyID = String((0..<40).map { _ in digits[Int.random(in: digits.indices)] })
        clientEmail = "firebase-adminsdk@\(projectID).iam.gserviceaccount.com"
        clientID = String((0..<21).map { _ in digits[Int.random(in: 1...9)] })
    }

    package init?(json: [UInt8]) {
        guard let account = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = account
    }

    package var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }
}
