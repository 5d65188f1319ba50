internal import PushModel

/// The last few different things that went wrong with an account, for `explain` and `status`.
struct RecentTroubles: Sendable {
    struct Trouble: Sendable {
        var text: String
        var count: Int
        var last: WallTime
    }
    /// Latest first.
    private(set) var latest: [Trouble] = []
    private static let most = 8

    mutating func note(_ text: String, at now: WallTime) {
        if let index = latest.firstIndex(where: { $0.text == text }) {
            latest[index].count += 1
            latest[index].last = now
            if index > 0 { latest.insert(latest.remove(at: index), at: 0) }
        } else {
            latest.insert(Trouble(text: text, count: 1, last: now), at: 0)
            if latest.count > Self.most { latest.removeLast() }
        }
    }
}
