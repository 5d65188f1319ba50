internal import Dispatch
internal import Synchronization

/// A short operation that may wait a long time, for example for the master's children, for other hosts or for
/// the receiver of a webhook. It runs on its own thread, so that several such operations do not block
/// anything else.
package protocol WaitingOperation: DeferredOperation {}

extension WaitingOperation {
    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        operations.waits.run(then) { () throws(OperationError) in try operations.carryOut(self) }
    }
}

/// The threads for operations that wait for other processes, and the operations that a process performs one
/// at a time. The number of threads is limited. If all threads are in use, a further operation is refused,
/// because the operations on these threads are waiting for something that is stuck.
package final class WaitingThreads: Sendable {
    package static let maxThreads = 16

    package let jobs = JobRunner()
    private let underWay = Mutex<Set<String>>([])

    private let turns = DispatchQueue(label: "changes that are checked again")
    private let queue = DispatchQueue(label: "operations that wait", attributes: .concurrent)
    private let threads = Mutex(0)

    package init() {}

    /// Performs work that must not run more than once at a time.
    /// - Parameter what: The name of the work, such as "a dry run".
    /// - Throws: `unavailable` if the work is already under way; any error that the work throws.
    func alone<Value>(_ what: String, _ work: () throws -> Value) throws -> Value {
        guard underWay.withLock({ $0.insert(what).inserted }) else {
            throw OperationError(.unavailable, "\(what) is already in progress; try again in a moment")
        }
        defer { underWay.withLock { _ = $0.remove(what) } }
        return try work()
    }

    /// Runs a body after the bodies of all earlier calls.
    func runInTurn<Value>(
        _ then: @escaping @Sendable (Result<Value, OperationError>) -> Void,
        _ body: @escaping @Sendable () throws(OperationError) -> Value
    ) {
        turns.async { then(Result { () throws(OperationError) in try body() }) }
    }

    func run<Value>(
        _ then: @escaping @Sendable (Result<Value, OperationError>) -> Void,
        _ body: @escaping @Sendable () throws(OperationError) -> Value
    ) {
        let hasRoom = threads.withLock { threads in
            guard threads < Self.maxThreads else { return false }
            threads += 1
            return true
        }
        guard hasRoom else {
            return then(
                .failure(
                    OperationError(
                        .unavailable,
                        "\(Self.maxThreads) requests wait for children or hosts that do not answer; try "
                            + "again in a moment, and check \(see: ShowStatus.self)")))
        }
        queue.async { [self] in
            let result = Result { () throws(OperationError) in try body() }
            threads.withLock { $0 -= 1 }
            then(result)
        }
    }
}
