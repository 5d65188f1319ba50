internal import Dispatch

/// Reads of the store for tasks, which must not block the threads that all tasks share: on threads of their
/// own, of which the store's readers bound how many do something.
struct BlockingReads: Sendable {
    private let queue = DispatchQueue(label: "reads for devices", attributes: .concurrent)

    nonisolated(nonsending) func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
