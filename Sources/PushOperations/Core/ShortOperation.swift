package import PushStore

/// A use case that changes something, and so has a line in the audit trail.
package protocol Audited: Sendable {
    /// What the trail calls it: `service.create`.
    static var name: String { get }
    /// nil: it has no line, because there are many like it, or because it writes one of its own kind.
    var auditText: AuditText? { get }
}

/// A use case of a few transactions at most: its request and its answer are plain values, so that whoever has
/// the instance open may carry it out for somebody else (see ``OperationExchange``).
package protocol ShortOperation: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    /// What it is called where requests travel: `service.create`.
    static var name: String { get }

    /// Called by ``Operations/carryOut(_:)``, which gives every error its one form.
    func perform(in operations: Operations) throws -> Answer
}

/// A short operation on the running master itself: carried out by its process, or by nobody. What settings
/// whoever asks has makes no difference, and the store need not be open there.
package protocol EngineOperation: ShortOperation {}

/// An operation on the running master that an operator is answerable for, such as its end.
///
/// Its line is in the audit trail before it acts. If the store does not take the line in time, the service's log has it
/// instead, and the order is carried out all the same: a store that is away must not keep an operator from stopping the
/// service.
package protocol Order: EngineOperation, Audited {}

extension ShortOperation {
    /// Has it carried out by the master's process, and by nobody else.
    /// - Parameters:
    ///   - caller: who asks, for the audit trail.
    ///   - carryOut: how that is asked.
    /// - Returns: nil if nothing was done.
    package func perform(
        for caller: String, there carryOut: ([UInt8]) -> CarriedOut
    ) throws(OperationError) -> Answer? {
        let lookAfterwards = (self as? any ChangingOperation)?.lookAfterwards
        return try OperationExchange.answer(
            to: self, of: caller, lookAfterwards: lookAfterwards ?? "status", by: carryOut)
    }
}

/// A short operation that changes the store. Where a master runs, a command has it carried out there: it
/// shares the master's one writer instead of fighting it for the file. Those that only read stay where they
/// are asked: readers are in nobody's way, and what they show must not hang on a master that does not answer.
///
/// **What it must keep to.** It is a value that holds all that it needs: files are read by whoever makes it,
/// and nothing of the environment counts when it is carried out but store and configuration, of which both
/// sides have the same.
package protocol ChangingOperation: ShortOperation, Audited {
    /// The command that shows whether it was done: `delivery list`.
    var lookAfterwards: String { get }
}

/// A short operation that mostly waits for a commit that many share: whoever carries it out need not keep a thread
/// waiting with it.
package protocol DeferredOperation: ShortOperation {
    /// - Parameter then: called once, perhaps on another thread, which it must not hold up.
    func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void)
}
