internal import PushModel
internal import PushWire

/// The latest distinct errors of an account, for `explain` and `status`.
struct RecentErrors: Sendable {
    /// The errors, the latest first.
    private(set) var latest: [AccountStatus.Trouble] = []
    private static let most = 8

    mutating func note(_ text: String, at now: WallTime) {
        if let index = latest.firstIndex(where: { $0.text == text }) {
            latest[index].count += 1
            latest[index].lastAt = now
            if index > 0 { latest.insert(latest.remove(at: index), at: 0) }
        } else {
            latest.insert(AccountStatus.Trouble(text: text, count: 1, lastAt: now), at: 0)
            if latest.count > Self.most { latest.removeLast() }
        }
    }
}
