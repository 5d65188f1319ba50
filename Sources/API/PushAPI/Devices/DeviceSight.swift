internal import PushModel
internal import PushStore

/// The requests of devices that one rehearsal has not looked at yet. Requests to this process and to the
/// running service are seen whatever their result. Requests to other hosts, and to a web module in a process
/// of its own, are found in the store if they registered a new device.
struct DeviceSight {
    private let app: App
    private let operations: Operations
    private var own: Int64
    private var ofService: Int64
    private var newest: SubscriptionID?

    private static let pageRows = 500

    init(of app: App, in operations: Operations) throws {
        (self.app, self.operations) = (app, operations)
        own = operations.registrationCache.devices.look(from: 0, operations.clock).next
        ofService = operations.engine.seenDevices(from: 0)?.next ?? 0
        newest = try operations.store.subscribers.newest(of: app.id)
    }

    mutating func next() throws -> [SeenDevice] {
        let here = operations.registrationCache.devices.look(from: own, operations.clock)
        own = here.next
        let there = operations.engine.seenDevices(from: ofService)
        ofService = there?.next ?? ofService
        let stored = try operations.store.subscribers.devices(
            registeredWith: app.id, after: newest, limit: Self.pageRows)
        newest = stored.last
        let new = stored.devices.map { device in
            var seen = SeenDevice()
            (seen.platform, seen.app) = (app.settings.platform.rawValue, app.name)
            (seen.token, seen.userKey, seen.model) = (device.token, device.userKey, device.model)
            return seen
        }
        return here.seen + (there?.seen ?? []) + new
    }
}
