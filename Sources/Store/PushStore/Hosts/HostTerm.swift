internal import Synchronization

/// The number by which this process has parts of a store that several hosts share: no other process ever had
/// it. All connections of the opened store know it.
final class HostTerm: Sendable {
    private let number = Mutex<Int64?>(nil)

    /// nil: this process has entered nowhere, and has no part for itself.
    var now: Int64? { number.withLock(\.self) }

    func begin(_ new: Int64) { number.withLock { $0 = new } }
}
