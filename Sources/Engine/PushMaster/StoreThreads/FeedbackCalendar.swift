package import PushModel
package import PushStore

/// Determines when feedback services are read: every `feedbackPeriodSec`, counted from the last complete
/// reading, even if that reading was done by an earlier process of the master.
package struct FeedbackCalendar {
    private let catalogue: Catalogue
    package var periodSeconds: Int64
    private var nextLook: WallTime?
    /// When each account was last reported as due. The moment is kept so that a reading that fails is not
    /// repeated immediately.
    private var lastReported: [AccountID: WallTime] = [:]

    /// The interval between queries of the store, in seconds.
    private static let lookSeconds: Int64 = 30
    private static let restSeconds: Int64 = 600

    package init(catalogue: Catalogue, periodSeconds: Int64) {
        self.catalogue = catalogue
        self.periodSeconds = periodSeconds
    }

    /// Returns the accounts that are due. An account is not returned again before its reading has had time to
    /// end.
    package mutating func due(
        _ accounts: [AccountID: [AppID]], at now: WallTime
    ) throws(StoreError) -> [AccountID: [AppID]] {
        if let nextLook, now < nextLook, nextLook.seconds(since: now) <= Self.lookSeconds { return [:] }
        nextLook = now.advanced(bySeconds: Self.lookSeconds)
        var due: [AccountID: [AppID]] = [:]
        for (account, apps) in accounts {
            if let told = lastReported[account],
                abs(now.seconds(since: told)) < min(Self.restSeconds, periodSeconds)
            {
                continue
            }
            var isDue = false
            for app in apps {
                let last = try catalogue.lastFeedbackPoll(of: app)
                isDue = isDue || last.map { abs(now.seconds(since: $0)) >= periodSeconds } ?? true
            }
            guard isDue else { continue }
            lastReported[account] = now
            due[account] = apps
        }
        return due
    }
}
