/// What currently limits the rate at which an account or a delivery sends.
///
/// Messages pass through the store, the quota and the rate, a child, a free request slot and the gateway, and
/// their results return to the store. Messages collect in front of the slowest stage. The number of messages
/// in each stage therefore shows the limit, and nothing has to be measured for each message.
///
/// The order of the cases is their precedence if the accounts of a delivery have different limits.
package enum SendingLimit: String, Codable, CaseIterable, Sendable {
    /// The store: messages wait to be prepared, to be read or to be recorded, or the store has a problem.
    case store
    /// Nothing may be sent: the delivery is on hold, or the account is stopped or waits for its gateway.
    case held
    /// An operator paused the delivery.
    case paused
    /// The children: none is working, all are full, or they do not use the free request slots.
    case children
    /// The quota of the account.
    case quota
    /// The rate of the delivery.
    case rate
    /// The window: as many requests are in flight as the settings and the gateway allow.
    case window
    /// The gateway: only its answers are missing, or each answer takes at least ``slowAnswerMilliseconds``.
    case gatewayLatency
    /// No message is due.
    case nothingToDo

    /// If answers take at least this long, they limit the rate more than the number of parallel requests
    /// does.
    package static let slowAnswerMilliseconds = 250

    /// Why due messages of an account have not been granted to a child.
    package enum Wait: Equatable, Sendable {
        case quota, rate
        /// No child has room.
        case room
    }

    /// The figures that determine what limits an account in one process.
    package struct AccountFigures: Equatable, Sendable {
        package var hasStoreFailure = false
        /// Whether the account is stopped, or waits for its gateway or a topic.
        package var isHeld = false
        package var workingChildren = 0
        /// Why due messages wait for a child; `nil` if none do.
        package var wait: Wait?
        /// The number of messages that are being read from the store for a child.
        package var reading = 0
        /// The number of messages that children have but have not submitted yet.
        package var queued = 0
        package var inFlight = 0
        /// The number of messages that may be in flight.
        package var window = 0
        /// The number of messages that are answered and not yet recorded.
        package var unrecorded = 0
        /// The mean time that the latest answers took; `nil` if none arrived within the last second.
        package var answerMilliseconds: Int?

        package init() {}
    }

    package init(_ sight: AccountFigures) {
        let inStore = sight.reading + sight.unrecorded
        let inChildren = sight.queued + sight.inFlight
        if sight.wait == nil, inStore + inChildren == 0 {
            self = .nothingToDo
        } else if sight.hasStoreFailure {
            self = .store
        } else if sight.isHeld {
            self = .held
        } else if sight.workingChildren == 0 {
            self = .children
        } else if sight.wait == .quota {
            self = .quota
        } else if sight.wait == .rate {
            self = .rate
        } else if inStore > inChildren {
            self = .store
        } else if inChildren == 0 {
            // Messages of other accounts fill the children.
            self = .children
        } else {
            self = Self.beyond(sight)
        }
    }

    /// Returns the limit of an account if children have most of its messages.
    private static func beyond(_ sight: AccountFigures) -> SendingLimit {
        // As long as there is no connection, there is no window.
        guard sight.window > 0, sight.queued > 0 || sight.wait != nil else { return .gatewayLatency }
        let isWindowFull = sight.inFlight * 4 >= sight.window * 3
        let isSlow = sight.answerMilliseconds.map { $0 >= slowAnswerMilliseconds } ?? true
        if isSlow, sight.inFlight > 0, isWindowFull || sight.inFlight >= sight.queued {
            return .gatewayLatency
        }
        return isWindowFull ? .window : .children
    }

    /// The figures that determine what limits a delivery.
    package struct DeliveryFigures: Equatable, Sendable {
        /// The number of messages that wait, including those that children have.
        package var left = 0
        package var isPreparing = false
        /// Whether the delivery is on hold.
        package var isHeld = false
        package var isPaused = false
        /// Whether messages wait because the delivery has reached its own rate.
        package var isAtRate = false
        /// The limits of the accounts of the delivery's apps.
        package var accounts: [SendingLimit] = []

        package init() {}
    }

    package init(_ sight: DeliveryFigures) {
        if sight.left == 0, !sight.isPreparing {
            self = .nothingToDo
        } else if sight.isHeld {
            self = .held
        } else if sight.isPaused {
            self = .paused
        } else if sight.isAtRate {
            self = .rate
        } else {
            // An account may wait for the rate of another delivery.
            let limits = sight.accounts.filter { $0 != .rate && $0 != .nothingToDo }
            self =
                Self.allCases.first { limits.contains($0) } ?? (sight.isPreparing ? .store : .nothingToDo)
        }
    }
}
