internal import CPushShims
internal import Glibc
internal import PushMaster
internal import PushModel
internal import PushSystem

/// The program that started the service and monitors it: systemd, or `pushmta start`. Reports use the
/// protocol of sd_notify(3): datagrams of `NAME=VALUE` lines, sent to the socket that `NOTIFY_SOCKET` names.
/// Without such a socket, nothing is reported.
///
/// A report that cannot be sent is lost, because a service must not end when its manager has ended.
struct ServiceManager: ServiceWatcher {
    private let socket: String?
    private let environment: [(name: String, value: String)]
    /// Whether the manager expects a sign of life, see sd_watchdog_enabled(3).
    private let isWatching: Bool

    /// Reads the environment variables and removes them, because they are not meant for children.
    init() {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        environment = names.compactMap { name in Self.take(name).map { (name, $0) } }
        let words = Dictionary(environment.map { ($0.name, $0.value) }) { first, _ in first }
        socket = words["NOTIFY_SOCKET"]
        let microseconds = words["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        let process = words["WATCHDOG_PID"].flatMap { Int32($0) }
        isWatching = microseconds > 0 && (process == nil || process == getpid())
    }

    /// Reports that the service performs its function.
    func serving() { tell("READY=1\nSTATUS=serving\nMAINPID=\(getpid())") }

    /// Reports that the service is ready except for sending: it waits for its place among the hosts. See
    /// ``waiting(for:)``.
    func standingBy() { tell("READY=1\nMAINPID=\(getpid())") }

    /// Reports a restart, which lasts until the next call of ``serving()``.
    func restarting() { reloading() }

    func reloading() {
        tell(
            """
            RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonic().nanoseconds / 1_000)\nSTATUS=reading \
            serverConf.xml again
            """
        )
    }

    func stopping() { tell("STOPPING=1\nSTATUS=finishing messages in flight") }

    /// Reports, in a few words, what prevents the service from being ready.
    func waiting(for what: String) { tell("STATUS=\(what)") }

    /// Reports a sign of life. Must be called more than twice within the interval that the manager requests;
    /// the service calls it once a second.
    func alive() { if isWatching { tell("WATCHDOG=1") } }

    /// Restores the removed variables for the program that replaces this process.
    func exportEnvironment() { for (name, value) in environment { unsafe setenv(name, value, 1) } }

    private func tell(_ lines: String) {
        guard let socket else { return }
        let bytes = Array(lines.utf8)
        unsafe bytes.withUnsafeBytes { buffer in
            if let base = buffer.baseAddress { unsafe _ = push_unix_datagram(socket, base, buffer.count) }
        }
    }

    private static func take(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        defer { unsafe unsetenv(name) }
        return unsafe String(cString: value)
    }
}
