package import PushStore
package import PushWire

/// A use case that changes something, and so has a line in the audit trail.
package protocol Audited: Sendable {
    /// What the trail calls it: `service.create`.
    static var name: String { get }
    /// nil: it has no line, because there are many like it, or because it writes one of its own kind.
    var auditText: AuditText? { get }
}

/// A use case of a few transactions at most.
package protocol ShortOperation: Sendable {
    associatedtype Answer: Sendable

    /// `service.create`.
    static var name: String { get }

    /// Called by ``Operations/carryOut(_:)``, which gives every error its one form.
    func perform(in operations: Operations) throws -> Answer
}

/// A short operation on the running master that an operator is answerable for, such as its end.
///
/// Its line is in the audit trail before it acts. If the store does not take the line in time, the service's log has it
/// instead, and the order is carried out all the same: a store that is away must not keep an operator from stopping the
/// service.
package protocol Order: ShortOperation, Audited {}

extension UseCase {
    /// Has it carried out by the service's process, and by no other.
    /// - Parameter carryOut: how that is asked.
    /// - Returns: nil if nothing was done.
    package func perform(there carryOut: (ServiceRequest) -> CarriedOut) throws(OperationError) -> Answer? {
        guard let request else { return nil }
        let followUpCommand = (self as? any ChangingOperation)?.followUpCommand ?? "status"
        let unknown = OperationError.failed(
            "the running master was asked for this and did not say what became of it, so it may have been done or not: "
                + "look \(command: "at 'pushmta \(followUpCommand)' ", api: "")before you ask again")
        switch carryOut(request) {
        case .notTaken, .silent: return nil
        case .unknown: throw unknown
        case .answer(let reply): return try Self.answer(in: reply, unknown: unknown)
        }
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
    var followUpCommand: String { get }
}

/// A short operation that mostly waits for a commit that many share: whoever carries it out need not keep a thread
/// waiting with it.
package protocol DeferredOperation: ShortOperation {
    /// - Parameter then: called once, perhaps on another thread, which it must not hold up.
    func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void)
}
