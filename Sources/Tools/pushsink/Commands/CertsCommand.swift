internal import ArgumentParser

struct CertsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certs",
        abstract: "Create an authority, certificates and keys for a sink and its provider.",
        discussion: """
            Files, all with mode 0600:
            \(CertificateSet.listing)

            Example: pushsink certs certs --bundle-id com.example.shop
            """)

    @Argument(help: "The folder for the files. Created if it does not exist.")
    var directory: String

    @Option(help: "The app's bundle id.")
    var bundleID = CertificateSet.Account.defaultBundleID

    @Option(help: "The provider's key id, with ten characters. (default: random)")
    var keyID: String?

    @Option(help: "The provider's team id, with ten characters. (default: random)")
    var teamID: String?

    @Option(help: "The FCM project's id.")
    var projectID = ServiceAccount.defaultProjectID

    @Option(name: .customLong("token-uri"), help: "The token_uri of the FCM service account.")
    var tokenURI = ServiceAccount.googleTokenURI

    @Option(help: "The number of days for which the certificates are valid.")
    var days = 365

    @Flag(help: "Replace an existing set.")
    var replace = false

    func validate() throws {
        for (name, value) in [("--key-id", keyID), ("--team-id", teamID)] {
            guard let value else { continue }
            try check(
                value.wholeMatch(of: /[A-Za-z0-9]{10}/) != nil,
                "\(name) must be ten letters or digits, not '\(value)'")
        }
        try check(
            bundleID.wholeMatch(of: /[A-Za-z0-9.-]{1,64}/) != nil,
            "--bundle-id must be at most 64 letters, digits, dots and hyphens, not '\(bundleID)'")
        try check(
            projectID.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil,
            "--project-id must be letters, digits and hyphens, not '\(projectID)'")
        try check((1...36_500).contains(days), "--days must be a number from 1 to 36500")
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
}
