package import PushModel

/// The number of children that crashed while they had the messages of a range. The cause of a crash is
/// unknown, so a range that was involved in several crashes is a suspect. A suspect is granted to a child
/// that has nothing else. It is halved with each grant, until the message that crashes every child is alone.
package struct Losses: Equatable, Sendable {
    /// The number of crashes after which a range, or an app's retries, count as suspect. Fewer crashes can
    /// have any cause.
    package static let harmless = 2
    /// The number of crashes, each with one message alone in the child, after which that message is given up.
    package static let mostAlone = 3

    package var all = 0
    /// The number of crashes of children that had nothing else.
    package var alone = 0
    package var isSuspect: Bool { all >= Self.harmless }

    package init() {}
}

/// The number of children that crashed while they had retries of one app. The message that caused the crash
/// is unknown. Therefore the retries of a suspect app are granted in the order in which they are due: one at
/// first, then more after each success and fewer after a crash, until the message that crashes every child is
/// alone.
package struct RetryLosses: Equatable, Sendable {
    /// The number of messages sent without a crash after which nothing is suspected any longer.
    package static let wholeGrant = 500

    package private(set) var losses = Losses()
    /// The number of messages in the next grant while the app is a suspect.
    package private(set) var limit = 1

    package init() {}

    /// - Parameters:
    ///   - granted: The number of messages that the lost grant requested.
    ///   - asSuspect: Whether the app was a suspect when the grant was made.
    ///   - isAlone: Whether the child had nothing else.
    package mutating func crashed(limit granted: Int, asSuspect: Bool, isAlone: Bool) {
        losses.all += 1
        guard asSuspect else { return }
        if granted == 1, isAlone { losses.alone += 1 }
        limit = max(granted / 2, 1)
    }

    /// - Returns: Whether nothing is suspected any longer, because as many messages as a whole grant contains
    ///   were sent without a crash.
    package mutating func recordSuccess(limit granted: Int) -> Bool {
        let isWhole = granted < limit || granted * 2 >= Self.wholeGrant
        losses.alone = 0
        limit = granted * 2
        return isWhole
    }
}

/// The suspicions about one account's retries, keyed by app. An app has no entry if no child crashed while it
/// had the app's retries.
package struct SuspectedRetries: Equatable, Sendable {
    private var losses: [AppID: RetryLosses] = [:]

    package init() {}

    package var isEmpty: Bool { losses.isEmpty }
    package func isSuspect(_ app: AppID) -> Bool { losses[app]?.losses.isSuspect == true }
    package func losses(of app: AppID) -> Losses { losses[app]?.losses ?? Losses() }
    /// Returns the number of messages in the next grant; `nil` means as many as there is capacity for.
    package func limit(of app: AppID) -> Int? { isSuspect(app) ? losses[app]?.limit : nil }

    /// - Parameter isGivenUp: Reports whether messages with such losses are given up. If so, the app's record
    ///   is removed, so its other messages are no longer suspected.
    /// - Returns: The losses of the grant's messages.
    package mutating func crashed(
        _ app: AppID, limit: Int, asSuspect: Bool, isAlone: Bool, isGivenUp: (Losses) -> Bool
    ) -> Losses {
        var noted = losses[app] ?? RetryLosses()
        noted.crashed(limit: limit, asSuspect: asSuspect, isAlone: isAlone)
        losses[app] = isGivenUp(noted.losses) ? nil : noted
        return noted.losses
    }

    package mutating func recordSuccess(_ app: AppID, limit: Int) {
        if losses[app]?.recordSuccess(limit: limit) == true { losses[app] = nil }
    }

    /// Removes and returns the record of an app that moves to another account. The other account takes over
    /// the record.
    package mutating func remove(_ app: AppID) -> RetryLosses? { losses.removeValue(forKey: app) }
    package mutating func set(_ noted: RetryLosses?, of app: AppID) { losses[app] = noted }
}
