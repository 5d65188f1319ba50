/// A number that identifies one row of the store. Each kind of row has its own type, so a delivery's number
/// cannot be passed in place of a part's.
package protocol RowIdentifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == Int64 {
    init(rawValue: Int64)
}

extension RowIdentifier {
    // Inlinable, because other modules identify, compare and look up every message by such numbers.
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { String(rawValue) }
}

/// An information service: the marketer's term for all apps that show the same news.
package struct ServiceID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// An application on one platform in one environment, with its connection settings. The number is below 2²².
package struct AppID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One state of the part of an app that messages use: see ``AppRevision``. Never reused.
package struct AppRevisionID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One device that registered with one app. The bits above 2⁴⁰ contain the app's number, so that an app's
/// subscriptions are one contiguous range.
package struct SubscriptionID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One sending of one content to one target. The number is below 2³¹, because it is sent as `_dId`.
package struct DeliveryID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A contiguous range of prepared messages of one delivery and one app.
package struct PartID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The content of individual messages (``Part/content``). Never reused.
package struct MessageContentID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
    /// The delivery's own content. All parts use it, except the parts of an open delivery.
    package static let ofDelivery = MessageContentID(rawValue: 0)
}

/// One notification to one subscription. Never reused, not even after a purge.
package struct MessageID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A receiver of events. Never reused.
package struct WebhookID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}
