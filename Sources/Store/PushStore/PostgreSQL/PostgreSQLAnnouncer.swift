internal import Dispatch

/// A sender of change notifications to hosts. It uses a connection that is created for the first
/// notification.
///
/// **The fence:** `channel` is used under `lock`.
final class PostgreSQLAnnouncer: @unchecked Sendable {
    private let channel: PostgreSQLChannel
    private let lock = DispatchSemaphore(value: 1)

    init(_ channel: PostgreSQLChannel) { self.channel = channel }

    func announce() {
        lock.wait()
        defer { lock.signal() }
        do { try channel.connected().notify() } catch { channel.leave(after: error) }
    }
}
