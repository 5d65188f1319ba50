/// A provider's account with FCM v1: the content of `service-account.json`, in Google's form.
package struct ServiceAccount: JSONFile, Equatable, Sendable {
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
        privateKeyID = .random("0123456789abcdef", count: 40)
        clientEmail = "firebase-adminsdk@\(projectID).iam.gserviceaccount.com"
        clientID = .random("123456789", count: 21)
    }
}
