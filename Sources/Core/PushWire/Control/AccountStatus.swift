package import PushModel

/// How an account does that the master has met.
package struct AccountStatus: Codable, Equatable, Sendable {
    package struct Trouble: Codable, Equatable, Sendable {
        /// Names no secret and no device.
        package var text: String
        package var count: Int
        package var lastAt: WallTime

        package init(text: String, count: Int, lastAt: WallTime) {
            (self.text, self.count, self.lastAt) = (text, count, lastAt)
        }
    }

    package var name: String
    /// `working`, `waiting`, `probing` or `stopped`; `stalled`: working, and nothing came of its work for a
    /// minute.
    package var state: String
    /// Why it is not working, or stalled; empty where it works.
    package var reason: String
    /// The name with the credential's mark: what the store knows it by.
    package var mark: String
    /// Until a waiting account may try a single message; nil where no moment is set.
    package var secondsUntilProbe: Int?
    /// Its messages that are with children and not yet committed.
    package var outstanding: Int
    /// Of these, not answered yet; what is answered waits for its commit.
    package var granted: Int
    /// Messages that were answered a second, within the last ten.
    package var answersPerSecond: Double
    /// Of these, handed to its gateway and not yet answered, by all children.
    package var inFlight: Int
    /// How many may be in flight at present, by all children: what gateway and back-off leave of the settings.
    package var window: Int
    package var connections: Int
    /// What its quota allows a second now, in the ramp or after it; nil: it has no quota.
    package var ratePerSecond: Int?
    /// Processes of the children that have served it and live.
    package var children: [Int32]
    /// What went wrong of late, each different thing once, the latest first.
    package var troubles: [Trouble]
    /// When the wait of a waiting account ends; probes go out before it. nil: it waits for no moment.
    package var waitEndsAt: WallTime?
    /// Topics that its gateway refuses, and apps in a storm; everything else of the account continues.
    package var topics: [Topic]

    /// A topic that a gateway refuses (an app's bundle id with the suffix of a push type), or an app that is in a
    /// storm while others share its account.
    package struct Topic: Codable, Equatable, Sendable {
        package var name: String
        /// `waiting`, `probing`, or of an app in a storm `stopped`.
        package var state: String
        package var reason: String
        /// The app that is in a storm; nil: the gateway refuses the topic.
        package var app: String?
        /// Until a single message may ask; nil if no moment is set.
        package var secondsUntilProbe: Int?
        /// Ranges of messages that wait for it.
        package var waitingRanges: Int

        package init(
            name: String, state: String, reason: String, app: String? = nil, secondsUntilProbe: Int?,
            waitingRanges: Int
        ) {
            (self.name, self.state, self.reason, self.app) = (name, state, reason, app)
            (self.secondsUntilProbe, self.waitingRanges) = (secondsUntilProbe, waitingRanges)
        }
    }

    package init(
        name: String, mark: String, state: String, reason: String, secondsUntilProbe: Int?, outstanding: Int,
        inFlight: Int, window: Int, connections: Int, ratePerSecond: Int?, children: [Int32],
        granted: Int = 0, answersPerSecond: Double = 0, troubles: [Trouble], waitEndsAt: WallTime? = nil,
        topics: [Topic] = []
    ) {
        (self.name, self.mark, self.state, self.reason) = (name, mark, state, reason)
        (self.secondsUntilProbe, self.waitEndsAt) = (secondsUntilProbe, waitEndsAt)
        (self.outstanding, self.granted, self.inFlight) = (outstanding, granted, inFlight)
        (self.answersPerSecond, self.ratePerSecond) = (answersPerSecond, ratePerSecond)
        (self.window, self.connections, self.children) = (window, connections, children)
        (self.troubles, self.topics) = (troubles, topics)
    }
}
