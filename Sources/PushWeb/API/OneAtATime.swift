internal import PushOperations
internal import Synchronization

/// What only one caller may do at a time; all others are told to come again.
final class OneAtATime: Sendable {
    private let isBusy = Mutex(false)
    private let busy: String

    /// - Parameter busy: what the others are told.
    init(busy: String) { self.busy = busy }

    /// - Throws: `unavailable` where somebody is at it; what the work throws.
    func alone<Value>(_ work: () throws -> Value) throws -> Value {
        let isMine = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isMine else { throw OperationError(.unavailable, lines: [busy]) }
        defer { isBusy.withLock { $0 = false } }
        return try work()
    }
}
