internal import Dispatch
internal import Synchronization

/// A short operation that may wait long for others: for children of the master, other hosts, a receiver. It
/// runs on a thread of its own, so that several of them do not keep anything else waiting.
package protocol WaitingOperation: DeferredOperation {}

extension WaitingOperation {
    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        operations.waits.run(then) { () throws(OperationError) in try operations.carryOut(self) }
    }
}

/// The threads of operations that wait for others, and the operations of which a process performs one at a time. The
/// number of threads is bounded; one more is refused, because those that are there already wait for something that is
/// stuck.
package final class WaitingThreads: Sendable {
    package static let maxThreads = 16

    package let jobs = JobRunner()
    private let underWay = Mutex<Set<String>>([])

    private let turns = DispatchQueue(label: "changes that are checked again")
    private let queue = DispatchQueue(label: "operations that wait", attributes: .concurrent)
    private let threads = Mutex(0)

    package init() {}

    /// Performs work of which there is at most one at a time.
    /// - Parameter what: the work, as in "a dry run".
    /// - Throws: `unavailable` if it is under way already; what the work throws.
    func alone<Value>(_ what: String, _ work: () throws -> Value) throws -> Value {
        guard underWay.withLock({ $0.insert(what).inserted }) else {
            throw OperationError(.unavailable, "\(what) is under way already; try again in a moment")
        }
        defer { underWay.withLock { _ = $0.remove(what) } }
        return try work()
    }

    /// Runs one body after the other.
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
                        "\(Self.maxThreads) requests wait for children or hosts that do not answer; try again in a "
                            + "moment, and look at \(see: ShowStatus.self)")))
        }
        queue.async { [self] in
            let result = Result { () throws(OperationError) in try body() }
            threads.withLock { $0 -= 1 }
            then(result)
        }
    }
}
