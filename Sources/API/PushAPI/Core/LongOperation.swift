/// A use case of many small steps, carried out by whoever asks, who may watch it and end it between two
/// steps.
package protocol LongOperation: Sendable {
    associatedtype Progress: Sendable
    associatedtype Answer: Sendable

    func perform(in operations: Operations, watchedBy watch: Watch<Progress>) throws -> Answer
}

/// How a long operation keeps in touch with who started it.
package struct Watch<Progress> {
    /// Called after each step.
    package var report: (Progress) -> Void
    /// Asked between steps; what was done before stays done.
    package var isCancelled: () -> Bool

    package init(
        report: @escaping (Progress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.report = report
        self.isCancelled = isCancelled
    }

    func proceed() throws(OperationError) {
        if isCancelled() { throw OperationError(.cancelled, "cancelled; what was done before stays done") }
    }
}
