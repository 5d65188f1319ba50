import Foundation
import PushAPI
import TestSupport

/// Credentials from the files that the tests of commands also use.
extension CredentialFile {
    private static func fixture(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Repository.file("Tests/PushMTATests/Fixtures/\(name)")))
    }

    static func key() throws -> CredentialFile {
        CredentialFile(
            name: "k.p8",
            contents: .token(try fixture("authkey.p8"), keyID: "ABC1234567", teamID: "DEF1234567"))
    }

    /// - Parameter kind: What the certificate is for, such as `production`; `nil` for the one that is valid in
    ///   both environments.
    static func certificate(_ kind: String? = nil) throws -> CredentialFile {
        let name = kind.map { "certificate-\($0).pem" } ?? "certificate.pem"
        return CredentialFile(name: name, contents: .pem(try fixture(name)))
    }

    static func projectKey() throws -> CredentialFile {
        CredentialFile(name: "key", contents: .projectKey(try fixture("project-key.txt")))
    }
}
