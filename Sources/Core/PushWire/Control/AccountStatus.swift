package import PushModel

/// The status of an account that the master has encountered.
package struct AccountStatus: Codable, Equatable, Sendable {
    package struct Trouble: Codable, Equatable, Sendable {
        /// Contains no secret and identifies no device.
        package var text: String
        package var count: Int
        package var lastAt: WallTime

        package init(text: String, count: Int, lastAt: WallTime) {
            (self.text, self.count, self.lastAt) = (text, count, lastAt)
        }
    }

    package var name: String
    /// `working`, `waiting`, `probing` or `stopped`; `stalled` means that the account is working but has had
    /// no result for a minute.
    package var state: String
    /// The reason why the account is not working or is stalled; empty if it is working.
    package var reason: String
    /// The account's key in the store: its name, followed by the mark that distinguishes its current
    /// credential from earlier ones.
    package var mark: String
    /// The names of the apps that use the account, in order.
    package var apps: [String]
    /// The seconds until a waiting account may try a single message; `nil` if no time is set.
    package var secondsUntilProbe: Int?
    /// The number of the account's messages that are granted to children and whose outcome is not yet
    /// committed.
    package var outstanding: Int
    /// The number of the account's messages that are granted to children and not yet answered. Unlike
    /// ``outstanding``, this number excludes answered messages whose outcome is not yet committed.
    package var granted: Int
    /// The number of messages answered per second, over the last ten seconds.
    package var answersPerSecond: Double
    /// The number of the account's messages that are submitted to the gateway and not yet answered, for all
    /// children together.
    package var inFlight: Int
    /// The number of messages that may currently be in flight, for all children together: the limit in the
    /// settings, or less if the gateway or back-off has reduced it.
    package var window: Int
    package var connections: Int
    /// The number of messages per second that the account's quota currently allows, including the effect of
    /// the ramp; `nil` if there is no quota.
    package var ratePerSecond: Int?
    /// The process ids of the living children that have served the account.
    package var children: [Int32]
    /// Recent problems, without duplicates, latest first.
    package var troubles: [Trouble]
    /// The time at which the account's wait ends. Probes are sent before this time. `nil` if the account does
    /// not wait for a particular time.
    package var waitEndsAt: WallTime?
    /// The topics that the account's gateway refuses, and the account's apps that are in a storm. The
    /// account's other messages continue to be sent.
    package var topics: [Topic]
    /// What currently limits the account's throughput; `nil` if a master of an earlier version sent the
    /// status.
    package var limitedBy: SendingLimit?

    /// A topic that a gateway refuses (an app's bundle id with the suffix of a push type), or an app that is
    /// in a storm while other apps share its account.
    package struct Topic: Codable, Equatable, Sendable {
        package var name: String
        /// `waiting` or `probing`; for an app in a storm, `stopped`.
        package var state: String
        package var reason: String
        /// The app that is in a storm; `nil` if the gateway refuses the topic.
        package var app: String?
        /// The seconds until a single message may probe the topic; `nil` if no time is set.
        package var secondsUntilProbe: Int?
        /// The number of message ranges that wait for the topic.
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
        name: String, mark: String, apps: [String] = [], state: String, reason: String,
        secondsUntilProbe: Int?, outstanding: Int,
        inFlight: Int, window: Int, connections: Int, ratePerSecond: Int?, children: [Int32],
        granted: Int = 0, answersPerSecond: Double = 0, troubles: [Trouble], waitEndsAt: WallTime? = nil,
        topics: [Topic] = [], limitedBy: SendingLimit? = nil
    ) {
        (self.name, self.mark, self.state, self.reason) = (name, mark, state, reason)
        (self.apps, self.secondsUntilProbe, self.waitEndsAt) = (apps, secondsUntilProbe, waitEndsAt)
        (self.outstanding, self.granted, self.inFlight) = (outstanding, granted, inFlight)
        (self.answersPerSecond, self.ratePerSecond) = (answersPerSecond, ratePerSecond)
        (self.window, self.connections, self.children) = (window, connections, children)
        (self.troubles, self.topics) = (troubles, topics)
        self.limitedBy = limitedBy
    }
}
