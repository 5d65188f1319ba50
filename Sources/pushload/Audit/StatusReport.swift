/// The engine as `status --json` tells it.
package struct StatusReport: Decodable, Sendable {
    package struct Master: Decodable, Sendable {
        package var pid: Int32
        package var state: String
        /// Where its web module listens; nil: it has none.
        package var web: String?
        /// Granted to children and not committed: the bound on duplicates of a crash at that moment.
        package var unrecorded: Int
        package var waitingRanges: Int
        /// What is wrong with the store; nil: nothing.
        package var trouble: String?
        package var children: [Child]
        package var accounts: [Account]
    }
    package struct Child: Decodable, Sendable {
        package var pid: Int32
        package var generation: Int
        package var state: String
        package var outstanding: Int
        package var inFlight: Int
        package var connections: Int
    }
    package struct Account: Decodable, Sendable {
        package var name: String
        package var state: String
        package var reason: String
        package var troubles: [Trouble]
        /// When its wait ends; nil: it waits for no moment.
        package var waitEndsAt: String?
        package var topics: [Topic]
    }
    package struct Topic: Decodable, Sendable {
        package var name: String
        package var state: String
        package var reason: String
        package var waitingRanges: Int
    }
    package struct Trouble: Decodable, Sendable {
        package var text: String
        package var count: Int
        /// The last time, as `2026-05-08T12:00:00Z`.
        package var lastAt: String
    }

    /// What the store takes.
    package struct Size: Decodable, Sendable {
        package var bytes: Int
        /// nil: its server does not say.
        package var freeBytes: Int?
        package var logBytes: Int
    }

    package var size: Size?
    package var master: Master?
}
