/// A use case of many small steps. The caller carries it out, can watch it, and can cancel it between two
/// steps.
package protocol LongOperation: Sendable {
    associatedtype Progress: Sendable
    associatedtype Answer: Sendable

    func perform(in operations: Operations, watchedBy watch: Watch<Progress>) throws -> Answer
}

/// The connection between a long operation and its caller.
package struct Watch<Progress> {
    /// Called after each step.
    package var report: (Progress) -> Void
    /// Called between steps. Steps that are already complete stay done.
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
