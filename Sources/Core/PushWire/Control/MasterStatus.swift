/// A master's current work, as shown by `pushmta status`.
package struct MasterStatus: Codable, Equatable, Sendable {
    package struct Child: Codable, Equatable, Sendable {
        package var pid: Int32
        /// The child's number, counted from 1 since this master started.
        package var generation: UInt32
        /// `working`, `draining` or `lost`.
        package var state: String
        /// The number of messages that are granted to the child and not yet committed.
        package var outstanding: Int
        /// The number of messages that are granted to the child and not yet submitted to a gateway.
        package var waiting: Int
        /// The number of messages that the child has submitted and that are not yet answered.
        package var inFlight: Int
        package var connections: Int
        package var residentKilobytes: Int

        package init(
            pid: Int32, generation: UInt32, state: String, outstanding: Int, waiting: Int, inFlight: Int,
            connections: Int, residentKilobytes: Int
        ) {
            (self.pid, self.generation, self.state) = (pid, generation, state)
            (self.outstanding, self.waiting, self.inFlight) = (outstanding, waiting, inFlight)
            (self.connections, self.residentKilobytes) = (connections, residentKilobytes)
        }
    }
    /// Due work that makes no progress, or a condition that requires a person to act.
    package struct Alarm: Codable, Equatable, Sendable {
        /// One of ``kinds``.
        package var kind: String
        /// The name of the account, the topic with its account, or the delivery's number; empty if the alarm
        /// is about the whole instance.
        package var about: String
        /// One line with the cause and, if known, the action to take.
        package var cause: String
        /// How long the condition has lasted, in seconds; 0 if unknown.
        package var seconds: Int

        package static let kinds = [
            "store", "disk", "account", "topic", "children", "delivery", "part", "clock", "key", "host",
        ]

        package init(kind: String, about: String = "", cause: String, seconds: Int) {
            (self.kind, self.about, self.cause, self.seconds) = (kind, about, cause, seconds)
        }
    }

    /// A delivery that is being sent, as the master sees it.
    package struct Sending: Codable, Equatable, Sendable {
        package var delivery: Int64
        /// The number of messages answered per second, over the last ten seconds.
        package var answersPerSecond: Double
        /// Whether messages wait because the delivery has reached its own rate.
        package var isAtRate: Bool

        package init(delivery: Int64, answersPerSecond: Double, isAtRate: Bool) {
            (self.delivery, self.answersPerSecond) = (delivery, answersPerSecond)
            self.isAtRate = isAtRate
        }
    }

    package var pid: Int32
    package var uptimeSeconds: Int
    /// `starting`, `running` or `draining`.
    package var state: String
    /// The condition that a starting master is waiting for; `nil` if the master is not waiting for anything
    /// that takes time.
    package var waitsFor: String?
    /// The age of this status, in seconds. It exceeds one second if the master does not answer.
    package var ageSeconds = 0.0
    /// The number of operations that the master has performed for other processes.
    package var operations = 0
    /// The URL of the master's web module, such as `https://127.0.0.1:8443`; `nil` if the module is not
    /// running.
    package var web: String?
    /// The URL of the web module's second port, which answers everything except devices; `nil` if there is
    /// none.
    package var webAdmin: String?
    /// The URL of the console; `nil` if the web module does not answer it.
    package var webConsole: String?
    /// The maximum number of messages whose outcome would stay unrecorded if the service crashed now: the
    /// bound on duplicates.
    package var unrecorded: Int
    /// The number of messages answered per second, over the last ten seconds.
    package private(set) var answersPerSecond: Double
    /// The number of message ranges that wait for a child with credit.
    package var waitingRanges: Int
    /// The problem with the store that prevents all work; `nil` if there is none.
    package var trouble: String?
    /// Conditions that require an operator immediately.
    package var alarms: [Alarm]
    package var children: [Child]
    /// The deliveries that are being sent, the newest first, at most ``mostSending``. `nil` if a master of an
    /// earlier version sent the status.
    package var sending: [Sending]?
    package static let mostSending = 1_000
    package var accounts: [AccountStatus] { didSet { answersPerSecond = Self.sum(of: accounts) } }
    /// The seconds since the host's lease was last renewed. `nil` if only one host can use the store, if the
    /// host has no lease yet, and in every process except the master.
    package var leaseAgeSeconds: Double?
    /// The master's counts; `nil` in any other process.
    package var figures: MasterFigures?

    /// The members that are encoded. The others are internal.
    private enum CodingKeys: CodingKey {
        case pid, uptimeSeconds, state, waitsFor, ageSeconds, operations, web, webAdmin, webConsole
        case unrecorded, answersPerSecond
        case waitingRanges, trouble, alarms, children, accounts, sending
    }

    package init(
        pid: Int32, uptimeSeconds: Int, state: String, unrecorded: Int, waitingRanges: Int,
        trouble: String? = nil, alarms: [Alarm] = [], children: [Child] = [], accounts: [AccountStatus] = []
    ) {
        (self.pid, self.uptimeSeconds, self.state) = (pid, uptimeSeconds, state)
        (self.unrecorded, self.waitingRanges, self.trouble) = (unrecorded, waitingRanges, trouble)
        (self.alarms, self.children, self.accounts) = (alarms, children, accounts)
        answersPerSecond = Self.sum(of: accounts)
    }

    private static func sum(of accounts: [AccountStatus]) -> Double {
        accounts.reduce(0) { $0 + $1.answersPerSecond }
    }
}
