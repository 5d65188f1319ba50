/// A use case that consists of many small steps. It runs on the caller's thread. The caller can watch it and
/// cancel it between two steps.
package protocol LongOperation: Sendable {
    associatedtype Progress: Sendable
    associatedtype Answer: Sendable

    func perform(in operations: Operations, watchedBy watch: Watch<Progress>) throws -> Answer
}

/// The connection between a long operation and its caller.
package struct Watch<Progress> {
    /// Called after each step.
    package var report: (Progress) -> Void
    /// Called between steps. If it returns true, the operation ends without undoing the completed steps.
    package var isCancelled: () -> Bool

    package init(
        report: @escaping (Progress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.report = report
        self.isCancelled = isCancelled
    }

    func proceed() throws(OperationError) {
        if isCancelled() { throw OperationError(.cancelled, "cancelled; completed steps are not undone") }
    }
}
