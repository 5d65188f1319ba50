package import PushStore
internal import PushWire

/// Ends the running master: what children have may be finished. The answer comes before the end.
package struct StopEngine: Order {
    package static let name = "engine.stop"
    package var auditText: AuditText? { .of(withinSeconds.map { "within \($0) s" } ?? "") }

    /// How long it may take, at most; nil: as the settings say.
    package var withinSeconds: Int?

    package init(withinSeconds: Int? = nil) { self.withinSeconds = withinSeconds }

    package struct Answer: Codable, Equatable, Sendable {
        package var pid: Int32
    }

    package func perform(in operations: Operations) throws -> Answer {
        guard let master = try operations.engine.status() else { throw OperationError.noMaster }
        operations.engine.stop(withinSeconds: withinSeconds)
        return Answer(pid: master.pid)
    }
}
