package import PushModel

/// Children that crashed while they had a range. Nobody knows whose fault that was, so a range that has seen
/// several is a suspect: it goes to a child of its own, halved from grant to grant, until the message that no
/// child survives is alone.
package struct Losses: Equatable, Sendable {
    /// A child may crash for any reason; from so many on the messages that it had are suspected.
    package static let harmless = 2
    /// A message with which alone so many children crashed is given up.
    package static let mostAlone = 3

    package var all = 0
    /// With nothing else in the child.
    package var alone = 0
    package var isSuspect: Bool { all >= Self.harmless }

    package init() {}
}

/// Children that crashed while they had retries of one app. Which message it was nobody knows; so as a
/// suspect an app gets them back from the first that is due, one at a time, then ever more while all goes
/// well and fewer when it does not, until the one that no child survives is alone.
package struct RetryLosses: Equatable, Sendable {
    /// As many as this and nothing went wrong: nobody is suspected any more.
    package static let wholeGrant = 500

    package private(set) var losses = Losses()
    /// Messages of the next grant, while it is a suspect.
    package private(set) var limit = 1

    package init() {}

    /// - Parameters:
    ///   - granted: messages that the lost grant asked for.
    ///   - asSuspect: it was one when it was granted.
    ///   - isAlone: the child had nothing else.
    package mutating func crashed(limit granted: Int, asSuspect: Bool, isAlone: Bool) {
        losses.all += 1
        guard asSuspect else { return }
        if granted == 1, isAlone { losses.alone += 1 }
        limit = max(granted / 2, 1)
    }

    /// - Returns: whether nothing is suspected any more: as much went well as one grant has.
    package mutating func wentWell(limit granted: Int) -> Bool {
        let isWhole = granted < limit || granted * 2 >= Self.wholeGrant
        losses.alone = 0
        limit = granted * 2
        return isWhole
    }
}

/// What is suspected of one account's retries, by app: nothing of an app with which no child crashed.
package struct SuspectedRetries: Equatable, Sendable {
    private var losses: [AppID: RetryLosses] = [:]

    package init() {}

    package var isEmpty: Bool { losses.isEmpty }
    package func isSuspect(_ app: AppID) -> Bool { losses[app]?.losses.isSuspect == true }
    package func losses(of app: AppID) -> Losses { losses[app]?.losses ?? Losses() }
    /// Messages of the next grant; nil: as many as there is capacity for.
    package func limit(of app: AppID) -> Int? { isSuspect(app) ? losses[app]?.limit : nil }

    /// - Parameter isHopeless: whether messages with such losses are given up: they go, and nobody suspects
    ///   the others for them.
    /// - Returns: the losses of the grant's messages.
    package mutating func crashed(
        _ app: AppID, limit: Int, asSuspect: Bool, isAlone: Bool, isHopeless: (Losses) -> Bool
    ) -> Losses {
        var noted = losses[app] ?? RetryLosses()
        noted.crashed(limit: limit, asSuspect: asSuspect, isAlone: isAlone)
        losses[app] = isHopeless(noted.losses) ? nil : noted
        return noted.losses
    }

    package mutating func wentWell(_ app: AppID, limit: Int) {
        if losses[app]?.wentWell(limit: limit) == true { losses[app] = nil }
    }

    /// Takes over what is noted of an app that moves to or from this account.
    package mutating func remove(_ app: AppID) -> RetryLosses? { losses.removeValue(forKey: app) }
    package mutating func set(_ noted: RetryLosses?, of app: AppID) { losses[app] = noted }
}
