package import PushModel

/// What one of Apple's certificates is for. Apple says it in the common name of the subject, before a colon
/// and the name of an app, a team or a website; the UID of the subject is the topic.
package enum APNsCertificateKind: Equatable, Sendable {
    /// Push in both environments.
    case push
    case pushInSandbox
    case pushInProduction
    /// Only pushes of type `voip`.
    case voip
    /// Only pushes of type `complication`.
    case complication
    /// What it is for instead of pushes to apps.
    case other(purpose: String)

    /// nil: the certificate is not one that Apple issues. Private gateways have their own.
    package init?(commonName: String) {
        guard let row = Self.table.first(where: { commonName.hasPrefix($0.beginning + ":") }) else {
            return nil
        }
        self = row.kind
    }

    /// Beginnings of common names, as Apple's developer site has issued them since 2009.
    private static let table: [(beginning: String, kind: APNsCertificateKind)] = [
        ("Apple Push Services", .push), ("Apple Sandbox Push Services", .pushInSandbox),
        ("Apple Development IOS Push Services", .pushInSandbox),
        ("Apple Development Mac Push Services", .pushInSandbox),
        ("Apple Production IOS Push Services", .pushInProduction),
        ("Apple Production Mac Push Services", .pushInProduction),
        ("VoIP Services", .voip), ("WatchKit Services", .complication),
        ("Pass Type ID", .other(purpose: "passes in Wallet")),
        ("Pass Type ID with NFC", .other(purpose: "passes in Wallet")),
        ("Website Push ID", .other(purpose: "websites in Safari")),
        ("APSP", .other(purpose: "device management")),
        ("Apple Distribution", signing), ("Apple Development", signing), ("iPhone Distribution", signing),
        ("iPhone Developer", signing), ("Mac Developer", signing),
        ("3rd Party Mac Developer Application", signing),
        ("3rd Party Mac Developer Installer", signing), ("Developer ID Application", signing),
        ("Developer ID Installer", signing), ("Apple Pay Merchant Identity", .other(purpose: "Apple Pay")),
        ("Apple Pay Payment Processing", .other(purpose: "Apple Pay")),
    ]
    private static let signing = APNsCertificateKind.other(purpose: "signing apps")

    /// The bundle id that the UID names: a certificate for some types of push has the topic of these pushes
    /// there, which is the bundle id with an ending, and pushes get that ending when they are sent.
    package func bundleID(userID: String) -> String {
        userID.hasSuffix(topicEnding) ? String(userID.dropLast(topicEnding.count)) : userID
    }

    /// Of the only push type that it is for; empty: it is for more than one.
    package var topicEnding: String {
        switch self {
        case .voip: ".voip"
        case .complication: ".complication"
        default: ""
        }
    }

    /// nil: it serves each environment, or it is not known to serve only one.
    package var environment: PushEnvironment? {
        switch self {
        case .pushInSandbox: .sandbox
        case .pushInProduction: .production
        default: nil
        }
    }
}
