internal import ArgumentParser
internal import PushConnectors

/// The files that a credential is made of. They are read once; what the store keeps of them is sealed.
struct CredentialOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Apple's token signing key; needs --key-id and --team-id.", valueName: "file"))
    var p8: String?

    @Option(help: ArgumentHelp("The key's identifier, 10 characters.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The team's identifier, 10 characters.", valueName: "id"))
    var teamID: String?

    @Option(help: ArgumentHelp(
        "A certificate with its key as PKCS#12, as Apple's keychain exports it.", valueName: "file"))
    var p12: String?

    @Option(help: ArgumentHelp(
        "A file with the password of --p12.",
        discussion: "Without it the password is empty. A line break at the end does not count.",
        valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("A certificate and its unencrypted key as PEM, in one file.", valueName: "file"))
    var pem: String?

    @Option(help: ArgumentHelp(
        "A service account of a Firebase project, the JSON file from its console: FCM HTTP v1.", valueName: "file"))
    var serviceAccount: String?

    @Option(help: ArgumentHelp(
        "A file with a project's server key: FCM's legacy interface.",
        discussion: "Google has shut that down; private gateways speak it.",
        valueName: "file"))
    var projectKeyFile: String?

    /// Larger is no credential.
    private static let maximumBytes = 1 << 20

    func validate() throws {
        guard [p8, p12, pem, serviceAccount, projectKeyFile].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError(
                "Give one credential: --p8, --p12, --pem, --service-account or --project-key-file.")
        }
        if p8 != nil, keyID == nil || teamID == nil { throw ValidationError("--p8 needs --key-id and --team-id.") }
        if p8 == nil, keyID != nil || teamID != nil { throw ValidationError("--key-id and --team-id belong to --p8.") }
        if p12 == nil, passwordFile != nil { throw ValidationError("--password-file belongs to --p12.") }
    }

    var kind: ConnectorCatalogue.CredentialKind {
        if p8 != nil { return .apnsToken }
        if p12 != nil || pem != nil { return .apnsCertificate }
        if serviceAccount != nil { return .fcmServiceAccount }
        return projectKeyFile != nil ? .fcmProjectKey : .none
    }

    /// Reads and checks the credential; nil where none was given.
    func intake() throws -> IntakenCredential? {
        guard let path = p8 ?? p12 ?? pem ?? serviceAccount ?? projectKeyFile else { return nil }
        let bytes = try FileReader.contents(of: path, atMost: Self.maximumBytes)
        let password = try passwordFile.map(Self.password) ?? ""
        do throws(CredentialError) {
            return switch kind {
            case .apnsToken: try CredentialIntake.token(p8: bytes, keyID: keyID ?? "", teamID: teamID ?? "")
            case .apnsCertificate where p12 != nil: try CredentialIntake.pkcs12(bytes, password: password)
            case .apnsCertificate: try CredentialIntake.pem(certificateAndKey: bytes)
            case .fcmServiceAccount: try CredentialIntake.serviceAccount(bytes)
            case .fcmProjectKey: try CredentialIntake.projectKey(bytes)
            case .none: nil
            }
        } catch {
            throw CommandFailure.refused("\(path): \(error)")
        }
    }

    private static func password(inFile path: String) throws -> String {
        var bytes = try FileReader.contents(of: path, atMost: 4_096)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let password = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.refused("\(path): the password is not UTF-8")
        }
        return password
    }
}
