internal import Dispatch

/// Tells hosts of changes by a connection that is made when the first is told.
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
