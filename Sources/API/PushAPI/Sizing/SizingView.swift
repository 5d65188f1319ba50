/// The requirements of an installation, and its limits.
package struct SizingView: Codable, Equatable, Sendable {
    /// A factor that limits the sending rate, with the highest rate that it allows.
    package struct Factor: Codable, Equatable, Sendable {
        package enum Name: String, Codable, CaseIterable, Sendable {
            /// The number of simultaneous requests, divided by the round trip.
            case requests
            /// Messages that children may have until their outcomes are recorded.
            case room
            /// The highest rate at which a child, which is one thread, has sent.
            case children
            /// The CPU time of a message on the host's cores.
            case cpu
            /// The highest rate at which a store has recorded outcomes.
            case store
            /// The rate that the gateway's provider allows.
            case provider
        }

        package var name: Name
        /// The paths of the settings that determine the factor.
        package var settings: [String]
        /// Messages per second with the present settings; `nil` if no limit is known.
        package var perSecondNow: Int?
        /// Messages per second with the changes; `nil` if no limit is known.
        package var perSecond: Int?
    }

    /// The factor with the lowest rate.
    package struct Limit: Codable, Equatable, Sendable {
        package var factor: Factor.Name
        package var perSecond: Int

        package init(factor: Factor.Name, perSecond: Int) {
            (self.factor, self.perSecond) = (factor, perSecond)
        }
    }

    /// A setting that is too small for the rate.
    package struct Change: Codable, Equatable, Sendable {
        /// The path of the setting, such as `nmac/iosHTTP2/@connectionsPerChild`.
        package var setting: String
        package var from: String
        package var to: String
        /// Whether a running service keeps the old value until it is restarted.
        package var needsRestart: Bool
    }

    /// The requested rate, in messages per second.
    package var perSecond: Int
    package var roundTripMilliseconds: Int
    package var store: String
    /// The maximum number of children: the present setting, or more if necessary.
    package var children: Int
    package var connectionsPerChild: Int
    /// The number of streams of each connection.
    package var streams: Int
    /// The number of simultaneous requests of all children.
    package var requestsAtOnce: Int
    /// The number of cores of the host.
    package var cores: Int
    /// The number of cores that are needed. Sending takes a share of them and leaves the rest to other work
    /// of the engine.
    package var coresNeeded: Double
    package var masterBytes: Int
    /// The memory of each child.
    package var childBytes: Int
    /// The memory of the master and all children.
    package var memoryBytes: Int
    package var factors: [Factor]
    /// The limit with the present settings.
    package var limitNow: Limit
    /// The limit with the changes.
    package var limit: Limit
    /// Whether the rate can be reached with the changes.
    package var isEnough: Bool
    package var changes: [Change]
}
