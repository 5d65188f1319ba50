package import PushModel
internal import PushStore

/// The floods of bad tokens that wait for a decision.
package struct ShowStorms: ShortOperation, UseCase {
    package static let name = "quarantine.storm.show"
    package static let operation = Operation(
        .get, "/storms", .read, "Floods of bad tokens that wait for a decision.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [StormView] { try Storms(in: operations).all }
}

/// A storm as it is shown.
package struct StormView: View, Equatable {
    /// An app's part of an account, with its credential's mark.
    package var account: String
    package var since: WallMoment
    /// Accepted messages in the run of answers that made the storm.
    package var accepted: Int
    /// Rejected tokens in that run.
    package var aboutTokens: Int
    /// Verdicts that wait.
    package var held: Int
    /// Whose subscribers they are about.
    package var apps: [String]
    /// With which they came.
    package var deliveries: [DeliveryID]

    init(_ summary: StormSummary, apps: [String], trust: AccountTrust?) {
        account = summary.account.rawValue
        since = summary.since
        let run = trust?.evidence.run ?? TrustEvidence.Run()
        accepted = run.answers - run.aboutTokens
        aboutTokens = run.aboutTokens
        held = summary.held
        self.apps = apps
        deliveries = summary.deliveries
    }
}
