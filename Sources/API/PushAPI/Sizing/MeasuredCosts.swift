package import PushConfig
package import PushModel

/// The measurements in Docs/Inside/Measurements.md (section "Sizing") for messages to one gateway, on two
/// cores of an AMD EPYC processor.
///
/// The code states these figures only here. A test compares them with that page.
package struct MeasuredCosts: Equatable, Sendable {
    /// The CPU time that a message takes in the master and in a child.
    package var masterMicroseconds: Double
    package var childMicroseconds: Double
    /// The highest known rate at which one child has sent, in messages per second.
    package var childPerSecond: Int

    private init(masterMicroseconds: Double, childMicroseconds: Double, childPerSecond: Int) {
        (self.masterMicroseconds, self.childMicroseconds) = (masterMicroseconds, childMicroseconds)
        self.childPerSecond = childPerSecond
    }

    /// Returns `nil` if the connector's messages have not been measured.
    package init?(_ connector: ConnectorName) {
        switch connector {
        case .iosHTTP2: self = .apns
        case .androidPushConnectorV2: self = .fcm
        default: return nil
        }
    }

    package static let apns = MeasuredCosts(
        masterMicroseconds: 0.56, childMicroseconds: 0.68, childPerSecond: 544_662)
    package static let fcm = MeasuredCosts(
        masterMicroseconds: 0.64, childMicroseconds: 0.78, childPerSecond: 385_208)

    package var microseconds: Double { masterMicroseconds + childMicroseconds }

    /// Returns the highest known rate at which a store has recorded outcomes, in messages per second.
    package static func storePerSecond(_ provider: StoreProvider) -> Int {
        switch provider {
        case .sqlite: 544_662
        case .postgreSQL: 238_000
        }
    }

    /// The peak memory of a sending master, and of a child.
    package static let masterBytes = 84_000_000
    package static let childBytes = 47_000_000
    /// The additional memory of a child for each of its `maxWaitingMessages`.
    package static let waitingMessageBytes = 45

    /// The time from the last outcome in a group to the end of the group's commit.
    package static let commitMilliseconds = 1.5

    /// While an installation sends, the number of requests in progress as a share of the maximum number of
    /// simultaneous requests.
    package static let windowShare = 0.9

    /// The maximum share of the cores for sending. This share was not measured; the rest is for imports,
    /// registrations and preparation.
    package static let coreShare = 0.7
}
