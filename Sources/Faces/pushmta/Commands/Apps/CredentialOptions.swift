internal import ArgumentParser
internal import PushAPI

/// The files from which a credential is created. They are read once; the store keeps their contents sealed.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Apple's token signing key; requires --key-id and --team-id.", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var p8: String?

    @Option(help: ArgumentHelp("The key's identifier, 10 characters.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The team's identifier, 10 characters.", valueName: "id"))
    var teamID: String?

    @Option(
        help: ArgumentHelp(
            "A certificate and its key as PKCS#12, as exported from Apple's keychain.", valueName: "file"),
        completion: .file(extensions: ["p12", "pfx"]))
    var p12: String?

    @Option(
        help: ArgumentHelp(
            "The file that contains the password of --p12.",
            discussion: "Without this option, the password is empty. Trailing line breaks are ignored.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("A certificate and its unencrypted key as PEM, in one file.", valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var pem: String?

    @Option(
        help: ArgumentHelp(
            "The JSON file of a Firebase service account, from the Firebase console; for FCM HTTP v1.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var serviceAccount: String?

    @Option(
        help: ArgumentHelp(
            "The file that contains a project's server key; for FCM's legacy interface.",
            discussion: "Google has shut down this interface; private gateways still support it.",
            valueName: "file"), completion: .file())
    var projectKeyFile: String?

    func validate() throws {
        guard [p8, p12, pem, serviceAccount, projectKeyFile].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError(
                "Give only one credential: --p8, --p12, --pem, --service-account or --project-key-file.")
        }
        try apple.validate()
    }

    private var apple: AppleCredentialFiles {
        AppleCredentialFiles(
            prefix: "--", p8: p8, keyID: keyID, teamID: teamID, p12: p12, passwordFile: passwordFile, pem: pem
        )
    }

    /// Returns the credential in the named file; `nil` if no file is named.
    func file() throws(CommandFailure) -> CredentialFile? {
        guard let path = serviceAccount ?? projectKeyFile else { return try apple.file() }
        let bytes = try FileReader.contents(of: path, atMost: AppleCredentialFiles.maximumBytes)
        return CredentialFile(
            name: path, contents: serviceAccount != nil ? .serviceAccount(bytes) : .projectKey(bytes))
    }
}

/// The files from which the credential of a pair's second app is created.
struct SandboxCredentialOptions: ParsableArguments {
    @Option(
        name: .customLong("sandbox-p8"),
        help: ArgumentHelp(
            "A token signing key for the sandbox, if it is not the one of --p8; "
                + "requires --sandbox-key-id and --sandbox-team-id.",
            valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var p8: String?

    @Option(
        name: .customLong("sandbox-key-id"),
        help: ArgumentHelp("The identifier of the key in --sandbox-p8.", valueName: "id"))
    var keyID: String?

    @Option(
        name: .customLong("sandbox-team-id"),
        help: ArgumentHelp("The team's identifier for --sandbox-p8.", valueName: "id"))
    var teamID: String?

    @Option(
        name: .customLong("sandbox-p12"),
        help: ArgumentHelp("A sandbox certificate and its key as PKCS#12.", valueName: "file"),
        completion: .file(extensions: ["p12", "pfx"]))
    var p12: String?

    @Option(
        name: .customLong("sandbox-password-file"),
        help: ArgumentHelp(
            "The file that contains the password of --sandbox-p12.",
            discussion: "Without this option, the password is empty. Trailing line breaks are ignored.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        name: .customLong("sandbox-pem"),
        help: ArgumentHelp(
            "A sandbox certificate and its unencrypted key as PEM, in one file.", valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var pem: String?

    func validate() throws {
        guard [p8, p12, pem].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("Give only one of --sandbox-p8, --sandbox-p12 and --sandbox-pem.")
        }
        try apple.validate()
    }

    private var apple: AppleCredentialFiles {
        AppleCredentialFiles(
            prefix: "--sandbox-", p8: p8, keyID: keyID, teamID: teamID, p12: p12, passwordFile: passwordFile,
            pem: pem)
    }

    /// Returns the credential in the named file; `nil` if no file is named.
    func file() throws(CommandFailure) -> CredentialFile? { try apple.file() }
}

/// The files of a credential for Apple. At most one of them is named.
private struct AppleCredentialFiles {
    /// Maximum size in bytes. A larger file is not a credential.
    static let maximumBytes = 1 << 20

    /// The first characters of the options that name the files.
    let prefix: String
    let p8: String?
    let keyID: String?
    let teamID: String?
    let p12: String?
    let passwordFile: String?
    let pem: String?

    func validate() throws {
        if p8 != nil, keyID == nil || teamID == nil {
            throw ValidationError("\(prefix)p8 requires \(prefix)key-id and \(prefix)team-id.")
        }
        if p8 == nil, keyID != nil || teamID != nil {
            throw ValidationError("\(prefix)key-id and \(prefix)team-id require \(prefix)p8.")
        }
        if p12 == nil, passwordFile != nil {
            throw ValidationError("\(prefix)password-file requires \(prefix)p12.")
        }
    }

    func file() throws(CommandFailure) -> CredentialFile? {
        guard let path = p8 ?? p12 ?? pem else { return nil }
        let bytes = try FileReader.contents(of: path, atMost: Self.maximumBytes)
        if p8 != nil {
            return CredentialFile(
                name: path, contents: .token(bytes, keyID: keyID ?? "", teamID: teamID ?? ""))
        }
        guard p12 != nil else { return CredentialFile(name: path, contents: .pem(bytes)) }
        var password = ""
        if let passwordFile { password = try Self.password(inFile: passwordFile) }
        return CredentialFile(name: path, contents: .pkcs12(bytes, password: password))
    }

    private static func password(inFile path: String) throws(CommandFailure) -> String {
        var bytes = try FileReader.contents(of: path, atMost: 4_096)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let password = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.refused("\(path): the password is not valid UTF-8; save the file as UTF-8")
        }
        return password
    }
}
