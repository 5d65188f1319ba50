internal import CPushShims
internal import Glibc
internal import PushMaster
internal import PushModel
internal import PushSystem

/// Whoever started the service and wants to know how it does: systemd, or `pushmta start`, by the protocol of
/// sd_notify(3): datagrams of `NAME=VALUE` lines to the socket that `NOTIFY_SOCKET` names. Without one nobody
/// is told.
///
/// What it cannot be told is lost: a service does not end because its manager has.
struct ServiceManager: ServiceWatcher {
    private let socket: String?
    private let environment: [(name: String, value: String)]
    /// Whether it wants a sign of life, see sd_watchdog_enabled(3).
    private let isWatching: Bool

    /// Takes the environment's word, and takes it out of the environment: it is not meant for children.
    init() {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        environment = names.compactMap { name in Self.take(name).map { (name, $0) } }
        let words = Dictionary(environment.map { ($0.name, $0.value) }) { first, _ in first }
        socket = words["NOTIFY_SOCKET"]
        let microseconds = words["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        let process = words["WATCHDOG_PID"].flatMap { Int32($0) }
        isWatching = microseconds > 0 && (process == nil || process == getpid())
    }

    /// The service does what it is for.
    func serving() { tell("READY=1\nSTATUS=serving\nMAINPID=\(getpid())") }

    /// The service waits for its place among the hosts, see ``waiting(for:)``, and does all else that it is for.
    func standingBy() { tell("READY=1\nMAINPID=\(getpid())") }

    /// Until ``serving()`` is told again.
    func restarting() { reloading() }

    func reloading() {
        tell(
            "RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonic().nanoseconds / 1_000)\nSTATUS=reading serverConf.xml anew"
        )
    }

    func stopping() { tell("STOPPING=1\nSTATUS=finishing what is in flight") }

    /// What keeps it from being ready, in a few words.
    func waiting(for what: String) { tell("STATUS=\(what)") }

    /// To be told more often than twice in the time that was asked for; once a second is.
    func alive() { if isWatching { tell("WATCHDOG=1") } }

    /// Puts back what was taken: for the program that this process becomes.
    func handOn() { for (name, value) in environment { unsafe setenv(name, value, 1) } }

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
