/// `apns-priority` (Apple, "Sending notification requests to APNs").
package enum APNsPriority: Int, Sendable, CaseIterable {
    /// Never wakes the device.
    case whenAwake = 1
    /// Delivered when the device's power state allows it. This is the only priority that a background push
    /// may have.
    case whenPowerAllows = 5
    case now = 10

    /// The priority in the binary protocol, which supports only 10 and 5.
    package var binaryItem: UInt8 { self == .now ? 10 : 5 }
}

extension IOSContent {
    /// The priority that is sent to the gateway: the content's own priority, or the default of its push type.
    package var priorityThatHolds: APNsPriority { priority ?? (type == .silent ? .whenPowerAllows : .now) }
}

extension IOSContent.Kind {
    /// The priorities that Apple accepts for this push type.
    package var priorities: [APNsPriority] {
        switch self {
        case .silent: [.whenPowerAllows]
        case .location: [.whenPowerAllows, .now]
        default: APNsPriority.allCases
        }
    }
}
