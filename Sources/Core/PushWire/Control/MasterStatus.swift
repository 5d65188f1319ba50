/// What a master is busy with, as `status` shows it.
package struct MasterStatus: Codable, Equatable, Sendable {
    package struct Child: Codable, Equatable, Sendable {
        package var pid: Int32
        /// Counts the children of this master's life from 1.
        package var generation: UInt32
        /// `working`, `draining` or `lost`.
        package var state: String
        /// Granted to it and not yet committed.
        package var outstanding: Int
        /// Of these, not yet handed to a gateway.
        package var waiting: Int
        /// Of these, handed over and not yet answered.
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
    /// Work is due and comes to nothing, or something needs a person.
    package struct Alarm: Codable, Equatable, Sendable {
        /// One of ``kinds``.
        package var kind: String
        /// The account's name, the topic and its account, the delivery's number; empty where it is about all.
        package var about: String
        /// One line: what, and what to do where that is known.
        package var cause: String
        /// How long it has lasted; 0 where nobody knows.
        package var seconds: Int

        package static let kinds = [
            "store", "account", "topic", "children", "delivery", "part", "clock", "key", "host",
        ]

        package init(kind: String, about: String = "", cause: String, seconds: Int) {
            (self.kind, self.about, self.cause, self.seconds) = (kind, about, cause, seconds)
        }
    }

    package var pid: Int32
    package var uptimeSeconds: Int
    /// `starting`, `running` or `draining`.
    package var state: String
    /// What a master that is starting waits for; nil: nothing that takes time.
    package var waitsFor: String?
    /// How old all this is: more than a second where the master does not answer.
    package var ageSeconds = 0.0
    /// How many operations it has carried out for others.
    package var operations = 0
    /// Where its web module listens, `127.0.0.1:8080`; nil: there is none.
    package var web: String?
    /// Messages whose outcome a crash now would leave unrecorded, at most: the bound on duplicates.
    package var unrecorded: Int
    /// Messages that were answered a second, within the last ten.
    package private(set) var answersPerSecond: Double
    /// Ranges of messages that wait for a child with credit.
    package var waitingRanges: Int
    /// What is wrong with the store, so that nothing of anybody goes on; nil: nothing.
    package var trouble: String?
    /// What an operator is to be woken for.
    package var alarms: [Alarm]
    package var children: [Child]
    package var accounts: [AccountStatus] { didSet { answersPerSecond = Self.sum(of: accounts) } }
    /// Since the host's lease was renewed last; nil where the store is one host's by its nature, or it has none
    /// yet, or another process asks.
    package var leaseAgeSeconds: Double?
    /// What it has counted; nil where another process asks.
    package var figures: MasterFigures?

    /// What others see.
    private enum CodingKeys: CodingKey {
        case pid, uptimeSeconds, state, waitsFor, ageSeconds, operations, web, unrecorded, answersPerSecond
        case waitingRanges, trouble, alarms, children, accounts
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
