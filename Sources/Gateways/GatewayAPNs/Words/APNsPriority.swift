/// `apns-priority` (Apple, "Sending notification requests to APNs").
package enum APNsPriority: Int, Sendable, CaseIterable {
    /// Never wakes the device.
    case whenAwake = 1
    /// When the device's power allows; the only one that a background push may have.
    case whenPowerAllows = 5
    case now = 10

    /// The binary protocol's item, which knows 10 and 5.
    package var binaryItem: UInt8 { self == .now ? 10 : 5 }
}

extension IOSContent {
    /// The priority that the gateway gets: what the content says, or what its kind has.
    package var priorityThatHolds: APNsPriority { priority ?? (type == .silent ? .whenPowerAllows : .now) }
}

extension IOSContent.Kind {
    /// What Apple takes of it.
    package var priorities: [APNsPriority] {
        switch self {
        case .silent: [.whenPowerAllows]
        case .location: [.whenPowerAllows, .now]
        default: APNsPriority.allCases
        }
    }
}
