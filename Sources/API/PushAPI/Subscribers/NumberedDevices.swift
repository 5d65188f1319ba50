internal import PushModel
internal import PushStore

/// Returns the numbers of devices for pages whose addresses must not contain a token, such as the page of a
/// device that has no user key.
package struct NumberDevices: ShortOperation {
    package static let name = "subscribers.number"
    package static let maxDevices = 100

    /// The devices, at most ``maxDevices``.
    private let devices: [SubscriberView]

    package init(_ devices: [SubscriberView]) { self.devices = devices }

    /// - Returns: The number of each device; `nil` if it is no longer registered.
    package func perform(in operations: Operations) throws -> [Int64?] {
        let apps = Dictionary(
            try operations.store.catalogue.appNames().map { ($0.name, $0) }
        ) { first, _ in first }
        return try devices.prefix(Self.maxDevices).map { device in
            guard let app = apps[device.app] else { return nil }
            return try SubscriberName.token(device.token).found(of: [app], in: operations)
                .first?.subscription.rawValue
        }
    }
}

/// Finds a device by its number: see ``NumberDevices``.
package struct FindNumberedDevice: ShortOperation {
    package static let name = "subscribers.numbered"

    private let number: Int64

    package init(number: Int64) { self.number = number }

    /// - Returns: `nil` if there is no such device, or if the caller may not see it.
    package func perform(in operations: Operations) throws -> SubscriberName? {
        guard number > 0 else { return nil }
        let device = SubscriptionID(rawValue: number)
        // The caller sees only the apps of the services to which it is bound.
        guard try operations.store.catalogue.app(device.app) != nil else { return nil }
        let page = try operations.store.subscriberFinder.page(
            of: device.app, after: SubscriptionID(rawValue: number - 1), withErrors: false, limit: 1)
        guard let found = page.subscribers.first, found.subscription == device else { return nil }
        return .token(found.token)
    }
}
