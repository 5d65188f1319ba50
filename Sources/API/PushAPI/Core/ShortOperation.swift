package import PushStore
package import PushWire

/// A use case that changes something and therefore has a line in the audit trail.
package protocol Audited: Sendable {
    /// The use case's name in the audit trail, such as `service.create`.
    static var name: String { get }
    /// The text of the line; `nil` if no line is written for the use case, because it is carried out very
    /// often or because it writes a line of another kind itself.
    var auditText: AuditText? { get }
}

/// A use case that takes only a few transactions.
package protocol ShortOperation: Sendable {
    associatedtype Answer: Sendable

    /// The name of the use case, such as `service.create`.
    static var name: String { get }

    /// Called by ``Operations/carryOut(_:)``, which converts every error to the same type.
    func perform(in operations: Operations) throws -> Answer
}

/// A short operation that acts on the running master, such as stopping it, and for which an operator is
/// accountable.
///
/// The order's line is written to the audit trail after the order was carried out or refused, and states a
/// refusal. If the store does not record the line in time, the line is written to the service's log instead,
/// and the order is still carried out: an unavailable store must not prevent an operator from stopping the
/// service.
package protocol Order: ShortOperation, Audited {
    /// Whether the order ends the process that carries it out. Its line is then written before, and a refusal
    /// has a second line.
    static var endsProcess: Bool { get }
}

extension Order {
    package static var endsProcess: Bool { false }
}

extension UseCase {
    /// Has the use case carried out by the service's process and by no other.
    /// - Parameter carryOut: Sends the request.
    /// - Returns: `nil` if nothing was done.
    @_semantics("optimize.sil.specialize.generic.never")
    package func perform(there carryOut: (ServiceRequest) -> CarriedOut) throws(OperationError) -> Answer? {
        guard let request else { return nil }
        let followUpCommand = (self as? any ChangingOperation)?.followUpCommand ?? "status"
        let unknown = OperationError.failed(
            "the running master received this request and did not report the result, so it may or may not "
                + "have been carried out: check "
                + "\(command: "'pushmta \(followUpCommand)'", api: "the result") before you repeat the "
                + "request")
        switch carryOut(request) {
        case .notTaken, .silent: return nil
        case .unknown: throw unknown
        case .answer(let reply): return try Self.answer(in: reply, unknown: unknown)
        }
    }
}

/// A short operation that changes the store. If a master is running, a command has the master carry out the
/// operation, so that the operation uses the store's single writer in the master instead of competing with it
/// for the store's file. Operations that only read are carried out by the calling process: readers block no
/// other process, and their answers must not depend on a master that does not respond.
///
/// **Requirements.** The operation is a value that contains everything that it needs. The code that creates
/// the value reads any files. When the operation is carried out, it depends on nothing else except the store
/// and the configuration, which are the same in both processes.
package protocol ChangingOperation: ShortOperation, Audited {
    /// The command that shows whether the operation was carried out, such as `delivery list`.
    var followUpCommand: String { get }
}

/// A short operation that mostly waits for a commit that many operations share. The process that carries out
/// the operation does not need to keep a thread waiting for the commit.
package protocol DeferredOperation: ShortOperation {
    /// - Parameter then: Called once, possibly on another thread, which it must not block.
    func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void)
}
