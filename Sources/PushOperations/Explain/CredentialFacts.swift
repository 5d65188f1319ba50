internal import PushModel
internal import PushWire

/// What may be said of an account's credential.
struct CredentialFacts {
    /// When the app got it, where that was noted.
    let given: WallTime?
    /// When it ends by itself; nil for keys.
    let notAfter: WallTime?
    private let now: WallTime

    /// Apple's renewal takes a person some days.
    private static let warnDays: Int64 = 30

    init(_ order: AccountOrder, given: WallTime?, at now: WallTime) {
        self.given = given
        self.now = now
        if case .certificate(let certificate)? = try? APNsCredential(order.credential) {
            notAfter = certificate.notAfter
        } else {
            notAfter = nil
        }
    }

    var ageDays: Int64? { given.map { max(now.seconds(since: $0), 0) / 86_400 } }
    /// Whole days; negative once it has ended.
    var daysLeft: Int64? { notAfter.map { Int64((Double($0.seconds(since: now)) / 86_400).rounded(.down)) } }

    var warning: String? {
        guard let days = daysLeft, days < Self.warnDays else { return nil }
        let state = days < 0 ? "has ended" : "ends in \(Numerals.count(Int(days), "day"))"
        return "the certificate \(state): renew it with Apple and give it with 'app update'"
    }
}
