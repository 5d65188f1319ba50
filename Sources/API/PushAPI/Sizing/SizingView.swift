/// What an installation needs, and what limits it.
package struct SizingView: Codable, Equatable, Sendable {
    /// What limits the rate, and to what.
    package struct Factor: Codable, Equatable, Sendable {
        package enum Name: String, Codable, CaseIterable, Sendable {
            /// Requests that are under way at once, divided by the round trip.
            case requests
            /// Messages that children may hold until their outcomes are recorded.
            case room
            /// What a child, which is one thread, has sent.
            case children
            /// Of a message, on the host's cores.
            case cpu
            /// What a store has recorded.
            case store
            /// What the gateway's provider grants.
            case provider
        }

        package var name: Name
        /// The settings that decide it, by their paths.
        package var settings: [String]
        /// Messages a second with the settings as they are; nil: no limit is known.
        package var perSecondNow: Int?
        /// The same with the changes.
        package var perSecond: Int?
    }

    /// The narrowest factor.
    package struct Limit: Codable, Equatable, Sendable {
        package var factor: Factor.Name
        package var perSecond: Int

        package init(factor: Factor.Name, perSecond: Int) {
            (self.factor, self.perSecond) = (factor, perSecond)
        }
    }

    /// A setting that is too small for the rate.
    package struct Change: Codable, Equatable, Sendable {
        /// `nmac/iosHTTP2/@connectionsPerChild`.
        package var setting: String
        package var from: String
        package var to: String
        /// Whether a service that runs keeps the value that it was started with.
        package var needsRestart: Bool
    }

    /// Messages a second that are asked for.
    package var perSecond: Int
    package var roundTripMilliseconds: Int
    package var store: String
    /// Children at most: as the settings have them, or more if so many are needed.
    package var children: Int
    package var connectionsPerChild: Int
    /// Of each connection.
    package var streams: Int
    /// Of all children.
    package var requestsAtOnce: Int
    /// Of the host.
    package var cores: Int
    /// Of which sending takes a share, and leaves the rest to what else an engine does.
    package var coresNeeded: Double
    package var masterBytes: Int
    /// Of each child.
    package var childBytes: Int
    /// Of the master and all children.
    package var memoryBytes: Int
    package var factors: [Factor]
    /// With the settings as they are.
    package var limitNow: Limit
    /// With the changes.
    package var limit: Limit
    /// Whether the rate can be had with the changes.
    package var isEnough: Bool
    package var changes: [Change]
}
