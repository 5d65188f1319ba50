/// A number that names one row of the store and nothing else: a delivery's number cannot be passed where a
/// part's is wanted.
package protocol RowIdentifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == Int64 {
    init(rawValue: Int64)
}

extension RowIdentifier {
    // Inlinable: every message is named, compared and looked up by such numbers in other modules.
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { String(rawValue) }
}

/// An information service: what a marketer calls the sum of apps that show the same news.
package struct ServiceID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// An application on one platform in one environment, with its connection settings. Below 2²².
package struct AppID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One state of what an app gives to what is sent: see ``AppRevision``. Never used twice.
package struct AppRevisionID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One device that registered with one app. The app's number stands in the bits above 2⁴⁰, so that an app's
/// subscriptions are one contiguous range.
package struct SubscriptionID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One sending of one content to one target. Below 2³¹: it travels as `_dId`.
package struct DeliveryID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A contiguous range of prepared messages of one delivery and one app.
package struct PartID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// What single messages say (``Part/content``). Never used twice.
package struct MessageContentID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
    /// The delivery's own content, as of all parts but those of an open delivery.
    package static let ofDelivery = MessageContentID(rawValue: 0)
}

/// One notification to one subscription. Never used twice, also not after a purge.
package struct MessageID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A receiver of events. Never used twice.
package struct WebhookID: RowIdentifier {
    package let rawValue: Int64
    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
}
