package import PushModel

/// The purpose of an Apple certificate. Apple states it in the common name of the subject, followed by a
/// colon and the name of an app, a team or a website. The UID of the subject is the topic.
package enum APNsCertificateKind: Equatable, Sendable {
    /// A certificate for pushes in both environments.
    case push
    case pushInSandbox
    case pushInProduction
    /// A certificate only for pushes of type `voip`.
    case voip
    /// A certificate only for pushes of type `complication`.
    case complication
    /// A certificate with a purpose other than pushes to apps.
    case other(purpose: String)

    /// Returns `nil` if the certificate was not issued by Apple. Private gateways have their own
    /// certificates.
    package init?(commonName: String) {
        guard let row = Self.table.first(where: { commonName.hasPrefix($0.beginning + ":") }) else {
            return nil
        }
        self = row.kind
    }

    /// The prefixes of common names that Apple's developer site has used since 2009.
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

    /// Returns the bundle id that the UID names. In certificates for some push types, the UID is the topic of
    /// these pushes, which is the bundle id with a suffix. This function removes the suffix, because it is
    /// appended again when a push is sent.
    package func bundleID(userID: String) -> String {
        userID.hasSuffix(topicEnding) ? String(userID.dropLast(topicEnding.count)) : userID
    }

    /// The topic suffix of the only push type for which the certificate is valid; empty if the certificate is
    /// valid for more than one push type.
    package var topicEnding: String {
        switch self {
        case .voip: ".voip"
        case .complication: ".complication"
        default: ""
        }
    }

    /// The only environment that the certificate serves; `nil` if it serves both environments, or is not
    /// known to serve only one.
    package var environment: PushEnvironment? {
        switch self {
        case .pushInSandbox: .sandbox
        case .pushInProduction: .production
        default: nil
        }
    }
}
