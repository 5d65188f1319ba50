internal import CSinkShims

extension CertificateSet {
    private static let day = 24 * 3600

    /// Makes a set in `directory`, which is created where it is missing. A set that is there already is
    /// replaced only with `replacing`: its files may be in use.
    package static func make(
        in directory: String, account: Account = .random(), project: String = ServiceAccount.defaultProjectID,
        tokenURI: String = ServiceAccount.googleTokenURI, days: Int = 365, replacing: Bool = false
    ) throws(SinkError) -> CertificateSet {
        try Files.makeDirectory(directory)
        if !replacing, Files.exists("\(directory)/\(Name.account)") {
            throw problem("there is a set already; --replace makes a new one", in: directory)
        }
        for name in Files.names(in: directory) where name.hasPrefix("AuthKey_") && name.hasSuffix(".p8") {
            try Files.remove("\(directory)/\(name)")
        }
        let maker = Maker(directory: directory, account: account, days: days)
        try maker.make()
        try maker.makeProject(project, tokenURI: tokenURI)
        // Last: where it is, the set is whole.
        try Files.replace("\(directory)/\(Name.account)", with: account.json, mode: 0o600)
        return try CertificateSet(directory: directory)
    }

    /// One making of a set. What OpenSSL hands out is freed with it.
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

            // RSA, as Apple's certificates are.
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

        /// What a provider has of FCM.
        func makeProject(_ project: String, tokenURI: String) throws(SinkError) {
            var text = [CChar](repeating: 0, count: 8192)
            guard push_sink_key_text(try key(push_sink_key_make_rsa2048()), &text, text.count) > 0 else {
                throw SinkError(.system(call: "writing a key as text", why: "OpenSSL"))
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
                from: from,
                to: to, key: key, by: issuer)
        }

        private func issue(
            _ name: String, uid: String? = nil, usage: String?, names: String? = nil, from: Int = -day,
            to: Int? = nil, key: OpaquePointer, by issuer: Identity?
        ) throws(SinkError) -> Identity {
            let made = push_sink_certificate_make(
                name, uid, names, usage, from, to ?? days * day, key, issuer?.certificate, issuer?.key)
            guard let made else {
                throw SinkError(.system(call: "making the certificate of \(name)", why: "OpenSSL"))
            }
            certificates.append(made)
            return Identity(certificate: made, key: key)
        }

        private func key(_ made: OpaquePointer?) throws(SinkError) -> OpaquePointer {
            guard let made else { throw SinkError(.system(call: "making a key", why: "OpenSSL")) }
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

        /// `write` gets the file's path and room for what C has to complain of.
        private func writing(_ name: String, _ write: (String, inout [CChar]) -> Bool) throws(SinkError) {
            var problem = [CChar](repeating: 0, count: 512)
            let path = "\(directory)/\(name)"
            guard write(path, &problem) else {
                throw SinkError(.unwritable(file: path, why: problem.cText))
            }
        }
    }
}

extension CertificateSet.Account {
    package static let defaultBundleID = "com.example.neotrips"

    package static func random(bundleID: String = defaultBundleID) -> Self {
        Self(keyID: word(of: 10), teamID: word(of: 10), bundleID: bundleID)
    }

    /// Capitals and digits, as in Apple's ids.
    static func word(of length: Int) -> String {
        .random("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count: length)
    }
}

extension String {
    /// So many of these letters.
    static func random(_ letters: String, count: Int) -> String {
        String((0..<count).compactMap { _ in letters.randomElement() })
    }
}
