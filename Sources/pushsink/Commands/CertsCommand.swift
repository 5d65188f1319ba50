internal import ArgumentParser

struct CertsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certs",
        abstract: "Make an authority, certificates and keys for a sink and its provider.",
        discussion: "Files, all with mode 0600:\n" + CertificateSet.listing)

    @Argument(help: "Where to; created where it is missing.")
    var directory: String

    @Option(help: "The app's bundle id.")
    var bundleID = CertificateSet.Account.defaultBundleID

    @Option(help: "The provider's key id, ten characters. (default: random)")
    var keyID: String?

    @Option(help: "The provider's team id, ten characters. (default: random)")
    var teamID: String?

    @Option(help: "The FCM project's id.")
    var projectID = ServiceAccount.defaultProjectID

    @Option(name: .customLong("token-uri"), help: "token_uri of the FCM service account.")
    var tokenURI = ServiceAccount.googleTokenURI

    @Option(help: "How long the certificates are valid.")
    var days = 365

    @Flag(help: "Replace the set that is there.")
    var replace = false

    func validate() throws {
        for (name, value) in [("--key-id", keyID), ("--team-id", teamID)] {
            guard let value else { continue }
            guard value.utf8.count == 10, value.utf8.allSatisfy(Self.isLetterOrDigit) else {
                throw ValidationError("\(name) needs ten letters or digits, not '\(value)'")
            }
        }
        let isPlain = bundleID.utf8.allSatisfy { Self.isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
        guard isPlain, (1...64).contains(bundleID.utf8.count) else {
            throw ValidationError(
                "--bundle-id needs at most 64 letters, digits, dots and hyphens, not '\(bundleID)'")
        }
        guard projectID.utf8.allSatisfy({ Self.isLetterOrDigit($0) || $0 == 0x2D }),
            (1...64).contains(projectID.utf8.count)
        else { throw ValidationError("--project-id needs letters, digits and hyphens, not '\(projectID)'") }
        guard (1...36_500).contains(days) else {
            throw ValidationError("--days needs a number from 1 to 36500")
        }
    }

    func run() throws {
        var account = CertificateSet.Account.random(bundleID: bundleID)
        if let keyID { account.keyID = keyID }
        if let teamID { account.teamID = teamID }
        let set = try CertificateSet.make(
            in: directory, account: account, project: projectID, tokenURI: tokenURI, days: days,
            replacing: replace)
        Terminal.say(
            "\(directory): key \(set.account.keyID) of team \(set.account.teamID) for \(set.account.bundleID)"
        )
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
