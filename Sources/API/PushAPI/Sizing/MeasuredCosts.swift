package import PushConfig
package import PushModel

/// What Docs/Measurements.md (section "Sizing") has about messages of one gateway, on two cores of AMD EPYC.
///
/// Figures are stated here and nowhere else in the code; a test compares them with that page.
package struct MeasuredCosts: Equatable, Sendable {
    /// CPU of a message.
    package var masterMicroseconds: Double
    package var childMicroseconds: Double
    /// Messages a second that one child has sent: the highest rate that is known.
    package var childPerSecond: Int

    private init(masterMicroseconds: Double, childMicroseconds: Double, childPerSecond: Int) {
        (self.masterMicroseconds, self.childMicroseconds) = (masterMicroseconds, childMicroseconds)
        self.childPerSecond = childPerSecond
    }

    /// nil: the connector's messages have not been measured.
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

    /// Messages a second whose outcomes a store has recorded: the highest rate that is known.
    package static func storePerSecond(_ provider: StoreProvider) -> Int {
        switch provider {
        case .sqlite: 544_662
        case .postgreSQL: 238_000
        }
    }

    /// Peak memory of a master that sends, and of a child.
    package static let masterBytes = 84_000_000
    package static let childBytes = 47_000_000
    /// More of a child for each of its `maxWaitingMessages`.
    package static let waitingMessageBytes = 45

    /// From the last outcome of a group to the end of its commit.
    package static let commitMilliseconds = 1.5

    /// The share of the possible requests that is under way.
    package static let windowShare = 0.9

    /// The share of the cores that sending may take. It was not measured: the rest is for imports,
    /// registrations and preparation.
    package static let coreShare = 0.7
}
