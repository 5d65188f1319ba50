/// The master and its children: `mta`.
package struct MTAConfiguration: Equatable, Sendable {
    /// Whether `run` starts the master. Campaign's default; the shipped file enables this setting.
    package var autoStart = false
    /// The least severe level of the entries that are written to the service's log. Campaign's default.
    package var logLevel = ServiceLogLevel.info
    /// A log with one line for each attempt to send a message; `nil` if there is none. The log grows with the
    /// number of messages.
    package var deliveryLog: String?
    /// Whether the messages of a child that died are sent again. Otherwise, these messages fail as
    /// unreachable. Campaign's default.
    package var retryLostMessages = true
    /// Whether `stub` replaces every connector, so that nothing leaves the machine. Campaign's default is to
    /// send.
    package var verifyMode = false
    /// Has no effect, because the master and its children keep no scratch files. Campaign's default.
    package var workingPath = "$(XTK_INSTALL_DIR)/var/$(INSTANCE_NAME)/mta/"
    /// The time of day at which the master is replaced; `nil` means never. Campaign's default is 06:00,
    /// because Campaign's processes grow. PushMTA's master does not grow.
    package var processRestartTime: TimeOfDay?
    /// The memory size, in MiB, above which the master is replaced. Campaign's default.
    package var maxMemoryMb = 1_024
    package var master = MasterConfiguration()
    package var child = ChildConfiguration()

    package init() {}
}

/// A local time that recurs every day.
package struct TimeOfDay: Equatable, Sendable {
    /// The time of day in seconds, from 0 to 86 399.
    package var secondsSinceMidnight: Int

    /// Parses `06:00:00` or `06:00`; `nil` for any other text.
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

/// The severity up to which the service's log is written. Each level includes those before it.
package enum ServiceLogLevel: Int, Sendable, CaseIterable, Comparable {
    case error = 0, warning, info
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of children, and how often the master queries the store for work: `mta/master`.
package struct MasterConfiguration: Equatable, Sendable {
    /// The number of children that are spawned immediately at start-up, exempt from the limit of one spawn
    /// per second. Campaign's default. The shipped file keeps one child ready, so that the first delivery
    /// does not wait for a spawn.
    package var startSpareServers = 0
    /// The minimum number of children. While fewer are running, one is spawned every second. Campaign's
    /// default: no child is kept without work.
    package var minSpareServers = 0
    /// Maximum number of children. Campaign's default. Campaign recommends one per core and no more than
    /// eight.
    package var maxSpareServers = 2
    /// The interval, in seconds, at which an idle master polls the store when no process notifies it. While
    /// there is work, the master polls every second. Campaign's default.
    package var dataBasePoolPeriodSec = 30

    package init() {}
}

/// The limits of one child: `mta/child`.
package struct ChildConfiguration: Equatable, Sendable {
    /// Maximum number of parallel requests to FCM, of all accounts together. Campaign's default.
    package var maxGCMConnectPerChild = 8
    /// Maximum number of parallel requests to FCM for each account; 0 means that only the limit of the child
    /// applies.
    package var maxGCMConnectPerAccount = 0
    /// The number of parallel requests to FCM that one account may have.
    package var requestsOfAccount: Int {
        maxGCMConnectPerAccount > 0
            ? min(maxGCMConnectPerAccount, maxGCMConnectPerChild) : maxGCMConnectPerChild
    }
    /// A child's credit: the number of messages granted to it whose outcomes are not yet committed.
    /// Campaign's default. The shipped file sets ten times as many, which are half a second's work at 40 000
    /// messages a second, so that a fast child does not wait for a commit.
    package var maxWaitingMessages = 2_000
    /// The number of messages after which a child is replaced, as a precaution against leaks. Campaign's
    /// default.
    package var maxMsgPerChild = 5_000_000
    /// The time, in seconds, after which a granted message that could not be sent returns to the master.
    /// Campaign's default.
    package var maxAgeSec = 600
    /// The time, in seconds, after which a child without work exits. Campaign's default.
    package var idleChildTimeoutSec = 60
    /// The memory size, in MiB, above which a child is drained and replaced. Campaign's default.
    package var maxWorkingSetMb = 128
    /// Has no effect: `nmac/retry` and the validity determine the number of attempts. Campaign's default.
    package var timeToLive = 48

    package init() {}
}
