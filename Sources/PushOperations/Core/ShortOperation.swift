/// A use case of a few transactions at most: its request and its answer are plain values, so that whoever has the
/// instance open may carry it out for somebody else (see ``OperationExchange``).
package protocol ShortOperation: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    /// What it is called where requests travel: `service.create`.
    static var name: String { get }

    /// Called by ``Operations/carryOut(_:)``, which gives every error its one form.
    func perform(in operations: Operations) throws -> Answer
}
