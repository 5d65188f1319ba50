internal import PushModel
package import PushStore
internal import PushWire

/// Stops the running master. Children may finish the messages that they have. The caller receives the answer
/// before the master ends.
package struct StopEngine: Order, UseCase {
    package static let name = "engine.stop"
    package static let operation = Operation(
        .post, "/instance/stop", .admin, "Stops the service.", isLocal: true)
    package static let endsProcess = true
    package static let members: [Member<Self>] = [
        .field(
            \.withinSeconds, "withinSeconds",
            "The maximum time for requests in progress to complete, in seconds; null for the configured time."
        )
    ]
    package var auditText: AuditText? { .of(withinSeconds.map { "within \($0) s" } ?? "") }

    package private(set) var withinSeconds: Int?

    package init() {}
    package init(withinSeconds: Int?) { self.withinSeconds = withinSeconds }

    package struct Answer: View, Equatable {
        package var pid: Int32
    }

    package func perform(in operations: Operations) throws -> Answer {
        guard let master = try operations.engine.status() else { throw OperationError.noMaster }
        operations.engine.stop(withinSeconds: withinSeconds)
        return Answer(pid: master.pid)
    }
}
