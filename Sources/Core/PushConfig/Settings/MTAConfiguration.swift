/// The master and its children: `mta`.
package struct MTAConfiguration: Equatable, Sendable {
    /// Campaign's default; the shipped file starts it.
    package var autoStart = false
    /// What is written to the log of a delivery. Campaign's default.
    package var logLevel = DeliveryLogLevel.info
    /// A line for each attempt at a message; nil: none is written. They are as many as there are messages.
    package var deliveryLog: String?
    /// Messages of a child that died are sent again; without it they fail as unreachable. Campaign's default.
    package var retryLostMessages = true
    /// Every connector is replaced by `stub`: nothing leaves the machine. Campaign's default is to send.
    package var verifyMode = false
    /// Scratch files of master and children. Campaign's default.
    package var workingPath = "$(XTK_INSTALL_DIR)/var/$(INSTANCE_NAME)/mta/"
    /// When the master is replaced each day; nil: never. Campaign's default is six in the morning, for
    /// processes that grow; this one does not.
    package var processRestartTime: TimeOfDay?
    /// Above it the master is replaced. Campaign's default.
    package var maxMemoryMb = 1_024
    package var master = MasterConfiguration()
    package var child = ChildConfiguration()

    package init() {}
}

/// A time of every day, as the clocks on the wall show it.
package struct TimeOfDay: Equatable, Sendable {
    /// 0 to 86 399.
    package var secondsSinceMidnight: Int

    /// `06:00:00` or `06:00`; nil: none of these.
    init?(_ text: String) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count), words.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        let numbers = words.compactMap { WholeNumber.read($0) }
        guard numbers.count == words.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 })
        else {
            return nil
        }
        secondsSinceMidnight = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }

    var text: String {
        [secondsSinceMidnight / 3_600, secondsSinceMidnight / 60 % 60, secondsSinceMidnight % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

/// Up to which severity a delivery's log is written; each level includes those before it.
package enum DeliveryLogLevel: Int, Sendable, CaseIterable, Comparable {
    case error = 0, warning, info
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How many children there are, and how often the store is asked for work: `mta/master`.
package struct MasterConfiguration: Equatable, Sendable {
    /// Children spawned at once at start-up, exempt from one spawn a second. Campaign's default; the shipped
    /// file has one ready, so that the first delivery does not wait for a spawn.
    package var startSpareServers = 0
    /// Below it a child is spawned every second. Campaign's default: none is kept without work.
    package var minSpareServers = 0
    /// Children at most. Campaign's default; its advice is one for a core, and not more than eight.
    package var maxSpareServers = 2
    /// How often an idle master looks into the store when nobody nudges it; while there is work it looks
    /// every second. Campaign's default.
    package var dataBasePoolPeriodSec = 30

    package init() {}
}

/// What one child may take on: `mta/child`.
package struct ChildConfiguration: Equatable, Sendable {
    /// Parallel requests to FCM for each account. Campaign's default.
    package var maxGCMConnectPerChild = 8
    /// A child's credit: messages granted to it whose outcomes are not yet committed. Campaign's default; the
    /// shipped file has ten times as many, half a second's worth at 40 000 messages a second, so that a fast
    /// child does not wait for a commit.
    package var maxWaitingMessages = 2_000
    /// After so many messages a child is replaced, against leaks. Campaign's default.
    package var maxMsgPerChild = 5_000_000
    /// A granted message that could not be sent within this goes back to the master. Campaign's default.
    package var maxAgeSec = 600
    /// A child without work ends after this. Campaign's default.
    package var idleChildTimeoutSec = 60
    /// A child larger than this is drained and replaced. Campaign's default.
    package var maxWorkingSetMb = 128
    /// Attempts in a row on the retry calendar. Campaign's default.
    package var timeToLive = 48

    package init() {}
}
