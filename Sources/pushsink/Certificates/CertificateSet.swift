/// A directory of keys and certificates: the synthetic gateway's own and those of a provider that may use it.
///
/// File names are stable; ``listing`` tells them. **Failures.** ``SinkError`` names the file that is missing
/// or odd.
package struct CertificateSet {
    /// Whom the keys belong to: the content of `apns.json`.
    package struct Account: JSONFile, Equatable, Sendable {
        /// Ten characters each, as Apple's are.
        package var keyID: String
        package var teamID: String
        package var bundleID: String
    }

    package let directory: String
    package let account: Account

    package enum Name {
        package static let account = "apns.json"
        package static let authority = "ca.pem"
        package static let server = "server.pem"
        package static let client = "client.pem"
        package static let clientP12 = "client.p12"
        package static let clientRC2 = "client-rc2.p12"
        package static let clientPassword = "client.password"
        package static let expired = "client-expired.pem"
        package static let stranger = "client-stranger.pem"
        package static let serviceAccount = "service-account.json"
        package static let projectKey = "project.key"
        package static func providerKey(_ id: String) -> String { "AuthKey_\(id).p8" }
    }

    package static let listing = """
        apns.json            {"keyID", "teamID", "bundleID"} of the provider
        ca.pem               the authority that signed all below but one; trust it to reach the sink
        server.pem           chain and key of the gateway: localhost, 127.0.0.1, ::1
        AuthKey_<KEYID>.p8   the provider's token key (PKCS#8 PEM, P-256)
        client.pem           the provider's certificate and key (RSA); its subject's UID is the bundle id
        client.p12           the same as PKCS#12 with AES-256; the password is in client.password
        client-rc2.p12       the same as a keychain exports it: RC2-40 and 3DES (OpenSSL 3 needs its legacy provider)
        client.password      the password, without a line feed
        client-expired.pem   the certificate of yesterday
        client-stranger.pem  a certificate for the same bundle id from an authority that nobody trusts
        service-account.json the provider's account with FCM v1: project, e-mail address, RSA key, token_uri
        project.key          the project's server key for FCM's legacy API, without a line feed
        """

    /// Reads the account and checks that what the gateway serves with is there.
    package init(directory: String) throws(SinkError) {
        func complain(_ problem: String) -> SinkError {
            Self.problem("\(problem); 'pushsink certs \(directory)' makes a set", in: directory)
        }
        guard Files.exists(directory) else { throw complain("no such directory") }
        for name in [Name.account, Name.authority, Name.server] where !Files.exists("\(directory)/\(name)") {
            throw complain("\(name) is missing")
        }
        guard let account = Account(json: try Files.read("\(directory)/\(Name.account)")) else {
            throw complain("\(Name.account) does not hold the texts keyID, teamID and bundleID")
        }
        self.directory = directory
        self.account = account
        guard Files.exists(path(Name.providerKey(account.keyID))) else {
            throw complain("\(Name.providerKey(account.keyID)), named by \(Name.account), is missing")
        }
    }

    static func problem(_ text: String, in directory: String) -> SinkError {
        SinkError(.certificates(directory: directory, problem: text))
    }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// The provider's account with FCM v1.
    package func serviceAccount() throws(SinkError) -> ServiceAccount {
        guard let account = ServiceAccount(json: try readPart(Name.serviceAccount)) else {
            throw Self.problem("\(Name.serviceAccount) is no service account in Google's form", in: directory)
        }
        return account
    }

    /// The key of FCM's legacy API.
    package func projectKey() throws(SinkError) -> String {
        let text = String(decoding: try readPart(Name.projectKey), as: UTF8.self)
        return String(text.filter { !$0.isWhitespace })
    }

    /// Sets of older sinks do not have the parts for FCM.
    private func readPart(_ name: String) throws(SinkError) -> [UInt8] {
        guard Files.exists(path(name)) else {
            throw Self.problem(
                "\(name) is missing; 'pushsink certs --replace \(directory)' makes a set", in: directory)
        }
        return try Files.read(path(name))
    }

    /// All provider keys in the directory: the made one, and any AuthKey_….p8 that was put beside it.
    package func providerKeys() throws(SinkError) -> [ProviderTokens.Key] {
        var keys: [ProviderTokens.Key] = []
        for name in Files.names(in: directory) where name.hasPrefix("AuthKey_") && name.hasSuffix(".p8") {
            let id = String(name.dropFirst(8).dropLast(3))
            guard let key = ProviderTokens.Key(id: id, team: account.teamID, file: path(name)) else {
                throw Self.problem("\(name) holds no private key", in: directory)
            }
            keys.append(key)
        }
        return keys
    }
}
