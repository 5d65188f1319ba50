internal import Synchronization

/// The number that identifies this process as the holder of its parts, in a store that several hosts share.
/// No other process ever had this number. All connections of the opened store know it.
final class HostTerm: Sendable {
    private let number = Mutex<Int64?>(nil)

    /// The number; `nil` if this process has not entered the list of hosts, and so has no parts of its own.
    var now: Int64? { number.withLock(\.self) }

    func begin(_ new: Int64) { number.withLock { $0 = new } }
}
