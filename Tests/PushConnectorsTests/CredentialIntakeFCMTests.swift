import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing
import pushsink

@Suite struct CredentialIntakeFCMTests {
    private func refusal(_ body: () throws -> VerifiedCredential) -> String {
        do {
            let credential = try body()
            Issue.record("it was taken: \(credential.identity)")
            return ""
        } catch {
            #expect(error is CredentialError)
            return "\(error)"
        }
    }

    private func file() throws -> [UInt8] { try Gateway.file(CertificateSet.Name.serviceAccount) }

    /// Returns the file with one value replaced or removed.
    private func file(with key: String, _ value: Any?) throws -> [UInt8] {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(file())) as? [String: Any])
        object[key] = value
        return Array(try JSONSerialization.data(withJSONObject: object))
    }

    @Test func `a service account is identified by its project and its address`() throws {
        let credential = try CredentialIntake.serviceAccount(file())
        let account = try FCMServiceAccount(json: file())
        #expect(credential.identity == "project:\(account.projectID):\(account.clientEmail)")
        #expect(credential.notAfter == nil)
        #expect(try FCMCredential(credential.opaque) == .serviceAccount(account))
    }

    @Test func `a service account whose key cannot sign is refused before anything is stored`() throws {
        let key = try #require(
            (try JSONSerialization.jsonObject(with: Data(file())) as? [String: Any])?["private_key"]
                as? String)
        let lines = key.split(separator: "\n").map(String.init)
        let broken = [
            "", "no key", key.replacing("\n", with: "\\n"), String(key.prefix(key.count / 2)),
            (lines.prefix(3) + lines.suffix(1)).joined(separator: "\n") + "\n",
            String(
                decoding: try Gateway.file(
                    CertificateSet.Name.providerKey(try Gateway.certificates().account.keyID)), as: UTF8.self),
        ]
        for key in broken {
            let text = refusal { try CredentialIntake.serviceAccount(try file(with: "private_key", key)) }
            #expect(text.contains("private_key"))
            #expect(!text.contains(lines[1]))
        }
    }

    @Test func `a file that is not a service account is refused, and the error names the missing field`()
        throws
    {
        #expect(refusal { try CredentialIntake.serviceAccount([]) }.contains("JSON"))
        #expect(refusal { try CredentialIntake.serviceAccount(Array("{}".utf8)) }.contains("service_account"))
        for key in ["project_id", "client_email", "private_key"] {
            let text = refusal { try CredentialIntake.serviceAccount(try file(with: key, nil)) }
            #expect(text.contains(key))
        }
    }

    @Test func `a project key is identified by its fingerprint and never by its text`() throws {
        let text = try Gateway.file(CertificateSet.Name.projectKey)
        let credential = try CredentialIntake.projectKey(text + Array("\n".utf8))
        guard case .projectKey(let key) = try FCMCredential(credential.opaque) else {
            Issue.record("no project key")
            return
        }
        #expect(Array(key.key.utf8) == text)
        #expect(credential.identity == "projectkey:\(key.fingerprint)")
        #expect(key.fingerprint.count == 32)
        #expect(!credential.identity.contains(key.key))
        #expect(try CredentialIntake.projectKey(Array("another".utf8)).identity != credential.identity)
    }

    @Test(arguments: [[], Array("two words".utf8), [0xFF, 0xFE, 0x41], Array("{}".utf8)])
    func `a file without a project key is refused`(bytes: [UInt8]) {
        #expect(!refusal { try CredentialIntake.projectKey(bytes) }.isEmpty)
    }
}
