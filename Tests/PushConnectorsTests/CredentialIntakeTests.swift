import GatewayAPNs
import GatewayKit
import PushConnectors
import PushModel
import PushSystem
import PushWire
import TestSupport
import Testing
import pushsink

@Suite struct CredentialIntakeTests {
    private func refusal(_ body: () throws -> VerifiedCredential) -> String? {
        do {
            _ = try body()
            Issue.record("it was taken")
            return nil
        } catch {
            #expect(error is CredentialError)
            return "\(error)"
        }
    }

    private func file(_ name: String) throws -> [UInt8] { try Gateway.file(name) }
    private func password() throws -> String {
        String(decoding: try file(CertificateSet.Name.clientPassword), as: UTF8.self)
    }

    // MARK: .p8

    @Test func `a .p8 file becomes a key that is identified by team and key id`() throws {
        let account = try Gateway.certificates().account
        let credential = try Gateway.key()
        #expect(credential.identity == "token:\(account.teamID):\(account.keyID)")
        #expect(credential.notAfter == nil)
        #expect(credential.topics.isEmpty)
        guard case .token(let key) = try APNsCredential(credential.opaque) else {
            Issue.record("not a key")
            return
        }
        #expect(key.keyID == account.keyID)
    }

    @Test func `an invalid .p8 file or impossible Apple id is refused without revealing any part of the key`()
        throws
    {
        let account = try Gateway.certificates().account
        let good = try file(CertificateSet.Name.providerKey(account.keyID))
        let certificate = try file(CertificateSet.Name.client)
        let otherCurve = Array(TestKey(.p384).pem.utf8)
        for (bytes, id, team) in [
            (Array("hello".utf8), account.keyID, account.teamID), ([], account.keyID, account.teamID),
            (Array(good.prefix(good.count / 2)), account.keyID, account.teamID),
            (otherCurve, account.keyID, account.teamID), (good, "short", account.teamID),
            (good, account.keyID, "a b c d e f"),
            (Array(certificate.prefix(40)), account.keyID, account.teamID),
        ] {
            let why = try #require(refusal { try CredentialIntake.token(p8: bytes, keyID: id, teamID: team) })
            #expect(!why.contains("\n"))
            #expect(!why.contains("-----END"))
        }
    }

    @Test func `two .p8 files with the same content are the same key, whatever their layout`() throws {
        let account = try Gateway.certificates().account
        let good = try file(CertificateSet.Name.providerKey(account.keyID))
        let text = String(decoding: good, as: UTF8.self)
        let lines = text.split(separator: "\n")
        let long = "\(lines[0])\n\(lines[1..<(lines.count - 1)].joined())\n\(lines[lines.count - 1])\n"
        let plain = try CredentialIntake.token(p8: good, keyID: account.keyID, teamID: account.teamID)
        for other in [
            "\u{FEFF}" + text, long, "Key of the shop\n" + text, text.replacing("\n", with: " \r\n"),
        ] {
            let taken = try CredentialIntake.token(
                p8: Array(other.utf8), keyID: account.keyID, teamID: account.teamID)
            #expect(taken == plain)
        }
    }

    @Test func `the error for an invalid .p8 file describes what the file contains`() throws {
        let account = try Gateway.certificates().account
        let good = try file(CertificateSet.Name.providerKey(account.keyID))
        let text = String(decoding: good, as: UTF8.self)
        for (bytes, words) in [
            (Array(text.replacing("\n", with: #"\n"#).utf8), #"the .p8 has the two characters \n"#),
            (
                Array(TestKey(.p384).pem.utf8),
                "the .p8 contains a key on the curve secp384r1"
            ),
            (try file(CertificateSet.Name.client), "the .p8 contains a certificate; import it with --pem"),
            ([], "the .p8 is empty"),
        ] {
            let why = refusal {
                try CredentialIntake.token(p8: bytes, keyID: account.keyID, teamID: account.teamID)
            }
            #expect(why?.hasPrefix(words) == true, "\(why ?? "")")
        }
    }

    // MARK: .p12

    @Test(arguments: [CertificateSet.Name.clientP12, CertificateSet.Name.clientRC2])
    func `a .p12 file, including a keychain export, becomes a certificate with topic and expiry`(name: String)
        throws
    {
        let credential = try CredentialIntake.pkcs12(try file(name), password: try password())
        #expect(credential.identity.hasPrefix("certificate:"))
        #expect(credential.topics == [try Gateway.bundleID])
        #expect(try #require(credential.notAfter) > Clocks.wall())
        guard case .certificate(let certificate) = try APNsCredential(credential.opaque) else {
            Issue.record("not a certificate")
            return
        }
        #expect(certificate.privateKeyPEM.contains("PRIVATE KEY-----"))
        #expect(!certificate.privateKeyPEM.contains("ENCRYPTED"))
    }

    @Test func `the same certificate is the same account, whatever file contained it`() throws {
        let bag = try CredentialIntake.pkcs12(
            try file(CertificateSet.Name.clientP12), password: try password())
        let old = try CredentialIntake.pkcs12(
            try file(CertificateSet.Name.clientRC2), password: try password())
        let pem = try CredentialIntake.pem(certificateAndKey: try file(CertificateSet.Name.client))
        #expect(bag.identity == pem.identity)
        #expect(old.identity == pem.identity)
    }

    @Test func `a wrong password is reported as a wrong password`() throws {
        for name in [CertificateSet.Name.clientP12, CertificateSet.Name.clientRC2] {
            let bytes = try file(name)
            for password in ["", "wrong"] {
                let why = try #require(refusal { try CredentialIntake.pkcs12(bytes, password: password) })
                #expect(why.hasSuffix("the password is wrong"))
            }
        }
    }

    @Test func `a file in another format is reported as not being a readable .p12 file`() throws {
        let whole = try file(CertificateSet.Name.clientP12)
        let password = try password()
        let pem = try file(CertificateSet.Name.client)
        for bytes in [[], Array("hello".utf8), Array(whole.prefix(whole.count / 2)), pem] {
            let why = try #require(refusal { try CredentialIntake.pkcs12(bytes, password: password) })
            #expect(why.hasPrefix("the .p12"))
            #expect(!why.contains("password is wrong"))
        }
    }

    // MARK: .pem

    @Test func `an expired certificate is refused, and the error names the remedy`() throws {
        let bytes = try file(CertificateSet.Name.expired)
        let why = try #require(refusal { try CredentialIntake.pem(certificateAndKey: bytes) })
        #expect(why.contains("expired"))
        #expect(why.contains("renew"))
    }

    @Test func `a .p12 file must contain both a certificate and the matching key`() throws {
        let client = String(decoding: try file(CertificateSet.Name.client), as: UTF8.self)
        let server = String(decoding: try file(CertificateSet.Name.server), as: UTF8.self)
        let certificateAlone = client.components(of: "CERTIFICATE").joined()
        let keyAlone = client.components(of: "PRIVATE KEY").joined()
        let mixed = certificateAlone + server.components(of: "PRIVATE KEY").joined()
        #expect(!certificateAlone.isEmpty && !keyAlone.isEmpty)
        for text in [certificateAlone, keyAlone, mixed, "", "hello"] {
            let why = try #require(refusal { try CredentialIntake.pem(certificateAndKey: Array(text.utf8)) })
            #expect(why.hasPrefix("the .pem"))
        }
    }
}

extension String {
    /// Returns the PEM blocks of one type, each with its header and footer lines.
    fileprivate func components(of kind: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "-----BEGIN \(kind)-----" { block = [] }
            block?.append(line)
            if line == "-----END \(kind)-----", let whole = block {
                blocks.append(whole.joined(separator: "\n") + "\n")
                block = nil
            }
        }
        return blocks
    }
}
