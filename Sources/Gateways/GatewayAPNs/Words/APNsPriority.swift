/// `apns-priority`
package struct APNsPriority: RawRepresentable, Equatable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Delivered at once.
    package static let now = APNsPriority(rawValue: 10)
    /// Delivered when the device's power allows; the only one that a background push may have.
    package static let whenPowerAllows = APNsPriority(rawValue: 5)

    /// The binary protocol's item, which knows 10 and 5.
    package var binaryItem: UInt8 { self == .now ? 10 : 5 }
}
