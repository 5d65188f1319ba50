internal import PushWire

/// Ends the running master: what children have may be finished. The answer comes before the end.
package struct StopEngine: EngineOperation {
    package static let name = "engine.stop"

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
