internal import CSinkShims

/// A directory of keys and certificates: the gateway's own, and those of a provider that may send to it.
///
/// File names are stable; ``listing`` contains them. **Failures.** ``SinkError`` names the file that is
/// missing or invalid.
package struct CertificateSet {
    /// The owner of the keys, as stored in `apns.json`.
    package struct Account: JSONFile, Equatable, Sendable {
        /// The key and team ids have ten characters each, like Apple's.
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
        ca.pem               the authority that signed all of these except one; trust it to reach the sink
        server.pem           chain and key of the gateway: localhost, 127.0.0.1, ::1
        AuthKey_<KEYID>.p8   the provider's token key (PKCS#8 PEM, P-256)
        client.pem           the provider's certificate and key (RSA); its subject's UID is the bundle id
        client.p12           the same as PKCS#12 with AES-256; the password is in client.password
        client-rc2.p12       the same as exported by a keychain: RC2-40, 3DES (OpenSSL 3: legacy provider)
        client.password      the password, without a line feed
        client-expired.pem   a certificate that expired yesterday
        client-stranger.pem  a certificate for the same bundle id from an untrusted authority
        service-account.json the provider's account with FCM v1: project, e-mail address, RSA key, token_uri
        project.key          the project's server key for FCM's legacy API, without a line feed
        """

    /// Reads the account, and checks that the files that the gateway needs for serving exist.
    package init(directory: String) throws(SinkError) {
        func complain(_ problem: String) -> SinkError {
            Self.problem("\(problem); 'pushsink certs \(directory)' creates a set", in: directory)
        }
        guard Files.exists(directory) else { throw complain("no such directory") }
        for name in [Name.account, Name.authority, Name.server] where !Files.exists("\(directory)/\(name)") {
            throw complain("\(name) is missing")
        }
        guard let account = Account(json: try Files.read("\(directory)/\(Name.account)")) else {
            throw complain("\(Name.account) does not contain the strings keyID, teamID and bundleID")
        }
        self.directory = directory
        self.account = account
        guard Files.exists(path(Name.providerKey(account.keyID))) else {
            throw complain("\(Name.providerKey(account.keyID)), named by \(Name.account), is missing")
        }
    }

    static func problem(_ text: String, in directory: String) -> SinkError {
        SinkError("\(directory): \(text)")
    }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Returns the provider's account with FCM v1.
    package func serviceAccount() throws(SinkError) -> ServiceAccount {
        guard let account = ServiceAccount(json: try readPart(Name.serviceAccount)) else {
            throw Self.problem(
                "\(Name.serviceAccount) is not a service account in Google's format", in: directory)
        }
        return account
    }

    /// Returns the key of FCM's legacy API.
    package func projectKey() throws(SinkError) -> String {
        let text = String(decoding: try readPart(Name.projectKey), as: UTF8.self)
        return String(text.filter { !$0.isWhitespace })
    }

    /// Reads a file for FCM. Sets that were created by older sinks do not have these files.
    private func readPart(_ name: String) throws(SinkError) -> [UInt8] {
        guard Files.exists(path(name)) else {
            throw Self.problem(
                "\(name) is missing; 'pushsink certs --replace \(directory)' creates a set", in: directory)
        }
        return try Files.read(path(name))
    }

    /// Returns all provider keys in the directory: the key that was created with the set, and any
    /// AuthKey_….p8 that was added.
    package func providerKeys() throws(SinkError) -> [ProviderTokens.Key] {
        var keys: [ProviderTokens.Key] = []
        for name in Files.names(in: directory) where name.hasPrefix("AuthKey_") && name.hasSuffix(".p8") {
            let id = String(name.dropFirst(8).dropLast(3))
            guard let key = ProviderTokens.Key(id: id, team: account.teamID, file: path(name)) else {
                throw Self.problem("\(name) contains no private key", in: directory)
            }
            keys.append(key)
        }
        return keys
    }
}

/// A provider's account with FCM v1, as stored in `service-account.json`, in Google's format.
package struct ServiceAccount: JSONFile, Equatable, Sendable {
    package var type = "service_account"
    package var projectID: String
    package var privateKeyID: String
    /// The private key, as PKCS#8 in PEM.
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

    /// Creates an account with this key.
    package init(projectID: String, privateKey: String, tokenURI: String) {
        self.projectID = projectID
        self.privateKey = privateKey
        self.tokenURI = tokenURI
        privateKeyID = .random("0123456789abcdef", count: 40)
        clientEmail = "firebase-adminsdk@\(projectID).iam.gserviceaccount.com"
        clientID = .random("123456789", count: 21)
    }
}

extension CertificateSet {
    private static let day = 24 * 3600

    /// Creates a set in `directory`, which is created if it does not exist. An existing set is replaced only
    /// if `replacing` is set, because its files may be in use.
    package static func make(
        in directory: String, account: Account = .random(), project: String = ServiceAccount.defaultProjectID,
        tokenURI: String = ServiceAccount.googleTokenURI, days: Int = 365, replacing: Bool = false
    ) throws(SinkError) -> CertificateSet {
        try Files.makeDirectory(directory)
        if !replacing, Files.exists("\(directory)/\(Name.account)") {
            throw problem("a set already exists; use --replace to create a new one", in: directory)
        }
        for name in Files.names(in: directory) where name.hasPrefix("AuthKey_") && name.hasSuffix(".p8") {
            try Files.remove("\(directory)/\(name)")
        }
        let maker = Maker(directory: directory, account: account, days: days)
        try maker.make()
        try maker.makeProject(project, tokenURI: tokenURI)
        // This file is written last: if it exists, the set is complete.
        try Files.replace("\(directory)/\(Name.account)", with: account.json, mode: 0o600)
        return try CertificateSet(directory: directory)
    }

    /// Creates one set. The objects from OpenSSL are freed together with this object.
    private final class Maker {
        private let directory: String
        private let account: Account
        private let days: Int
        private var keys: [OpaquePointer] = []
        private var certificates: [OpaquePointer] = []

        init(directory: String, account: Account, days: Int) {
            self.directory = directory
            self.account = account
            self.days = days
        }

        deinit {
            certificates.forEach { push_sink_certificate_free($0) }
            keys.forEach { push_sink_key_free($0) }
        }

        private struct Identity { let certificate: OpaquePointer, key: OpaquePointer }

        func make() throws(SinkError) {
            let authority = try authority(named: "pushsink authority")
            try write(Name.authority, authority.certificate)

            let server = try issue(
                "localhost", usage: "serverAuth", names: "DNS:localhost,IP:127.0.0.1,IP:::1",
                key: key(push_sink_key_make_p256()), by: authority)
            try write(Name.server, server.certificate, chain: authority.certificate, key: server.key)
            try write(Name.providerKey(account.keyID), key: key(push_sink_key_make_p256()))

            // RSA, like Apple's certificates.
            let clientKey = try key(push_sink_key_make_rsa2048())
            let client = try issueClient(key: clientKey, by: authority)
            try write(Name.client, client.certificate, key: clientKey)
            let expired = try issueClient(key: clientKey, by: authority, from: -2 * day, to: -day)
            try write(Name.expired, expired.certificate, key: clientKey)
            let otherAuthority = try self.authority(named: "some other authority")
            let stranger = try issueClient(key: key(push_sink_key_make_p256()), by: otherAuthority)
            try write(Name.stranger, stranger.certificate, key: stranger.key)

            let password = Account.word(of: 20)
            try Files.replace("\(directory)/\(Name.clientPassword)", with: Array(password.utf8), mode: 0o600)
            try writeP12(Name.clientP12, password, client, authority, oldFashioned: false)
            try writeP12(Name.clientRC2, password, client, authority, oldFashioned: true)
        }

        /// Makes the files that a provider needs for FCM.
        func makeProject(_ project: String, tokenURI: String) throws(SinkError) {
            var text = [CChar](repeating: 0, count: 8192)
            guard push_sink_key_text(try key(push_sink_key_make_rsa2048()), &text, text.count) > 0 else {
                throw SinkError.failed("writing a key as text", why: "OpenSSL")
            }
            let account = ServiceAccount(projectID: project, privateKey: text.cText, tokenURI: tokenURI)
            try Files.replace("\(directory)/\(Name.serviceAccount)", with: account.json, mode: 0o600)
            let key = "AAAA\(Account.word(of: 7)):APA91b\(Account.word(of: 134))"
            try Files.replace("\(directory)/\(Name.projectKey)", with: Array(key.utf8), mode: 0o600)
        }

        private func authority(named name: String) throws(SinkError) -> Identity {
            try issue(name, usage: nil, key: key(push_sink_key_make_p256()), by: nil)
        }

        private func issueClient(
            key: OpaquePointer, by issuer: Identity, from: Int = -day, to: Int? = nil
        ) throws(SinkError) -> Identity {
            try issue(
                "Apple Push Services: \(account.bundleID)", uid: account.bundleID, usage: "clientAuth",
                from: from, to: to, key: key, by: issuer)
        }

        private func issue(
            _ name: String, uid: String? = nil, usage: String?, names: String? = nil, from: Int = -day,
            to: Int? = nil, key: OpaquePointer, by issuer: Identity?
        ) throws(SinkError) -> Identity {
            let made = push_sink_certificate_make(
                name, uid, names, usage, from, to ?? days * day, key, issuer?.certificate, issuer?.key)
            guard let made else {
                throw SinkError.failed("making the certificate of \(name)", why: "OpenSSL")
            }
            certificates.append(made)
            return Identity(certificate: made, key: key)
        }

        private func key(_ made: OpaquePointer?) throws(SinkError) -> OpaquePointer {
            guard let made else { throw SinkError.failed("making a key", why: "OpenSSL") }
            keys.append(made)
            return made
        }

        private func write(
            _ name: String, _ certificate: OpaquePointer? = nil, chain: OpaquePointer? = nil,
            key: OpaquePointer? = nil
        ) throws(SinkError) {
            try writing(name) { push_sink_write_pem($0, certificate, chain, key, &$1, $1.count) }
        }

        private func writeP12(
            _ name: String, _ password: String, _ client: Identity, _ authority: Identity, oldFashioned: Bool
        ) throws(SinkError) {
            try writing(name) {
                push_sink_write_p12(
                    $0, password, client.certificate, authority.certificate, client.key, oldFashioned, &$1,
                    $1.count)
            }
        }

        /// `write` receives the file's path and a buffer for the error text of the C code.
        private func writing(_ name: String, _ write: (String, inout [CChar]) -> Bool) throws(SinkError) {
            var problem = [CChar](repeating: 0, count: 512)
            guard write("\(directory)/\(name)", &problem) else { throw SinkError(problem.cText) }
        }
    }
}

extension CertificateSet.Account {
    package static let defaultBundleID = "com.example.neotrips"

    package static func random(bundleID: String = defaultBundleID) -> Self {
        Self(keyID: word(of: 10), teamID: word(of: 10), bundleID: bundleID)
    }

    /// Returns capital letters and digits, as in Apple's ids.
    static func word(of length: Int) -> String {
        .random("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count: length)
    }
}

extension String {
    /// Returns the given number of random characters from `letters`.
    static func random(_ letters: String, count: Int) -> String {
        String((0..<count).compactMap { _ in letters.randomElement() })
    }
}
