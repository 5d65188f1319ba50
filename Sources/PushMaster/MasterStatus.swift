/// What a master is busy with, as `status` shows it and as it travels over the control socket.
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
    }
    package struct Account: Codable, Equatable, Sendable {
        package var name: String
        /// `open`, `closed` or `probing`.
        package var state: String
        /// Why it is not open; empty where it is.
        package var reason: String
    }

    package var pid: Int32
    package var uptimeSeconds: Int
    /// `running` or `draining`.
    package var state: String
    /// Messages whose outcome a crash now would leave unrecorded, at most: the bound on duplicates.
    package var unrecorded: Int
    /// Ranges of messages that wait for a child with room.
    package var waitingRanges: Int
    package var children: [Child]
    package var accounts: [Account]
}
