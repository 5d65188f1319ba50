internal import Glibc
internal import PushModel
package import PushWire

// Requests that are not part of the API. An instance's processes send them to the running service on its Unix
// socket.

/// Identifies the running service. A command leaves its work to the service if both have the same version,
/// store and settings.
package struct ShowInstance: ShortOperation, UseCase {
    package static let name = "instance.show"
    package static let operation = Operation(
        .get, "/instance", .read, "Identifies the running service.", .immediate, isLocal: true)
    package static let members: [Member<Self>] = []

    package struct Answer: View, Equatable {
        package static let about = [
            "mark": "identifies the version, the store and the settings; commands send it as If-Match"
        ]
        package var process: Int32
        package var mark: String
    }

    package init() {}

    package func perform(in operations: Operations) -> Answer {
        Answer(process: getpid(), mark: operations.engine.mark)
    }
}

/// Shows the current work of the running master.
package struct ShowMaster: ShortOperation, UseCase {
    package static let name = "master.show"
    package static let operation = Operation(
        .get, "/master", .read, "Returns the current activity of the running master.", .immediate,
        asksMaster: true,
        isLocal: true)
    package static let members: [Member<Self>] = []

    package init() {}

    /// - Returns: `nil` if no master is running.
    package func perform(in operations: Operations) throws -> MasterStatus? {
        try operations.engine.status()
    }
}

/// Notifies the service that there may be work in the store.
package struct NotifyOfWork: ShortOperation, UseCase {
    package static let name = "instance.wakeUp"
    package static let operation = Operation(
        .post, "/wake-up", .send, "Notifies the master of possible new work.", .immediate, isLocal: true)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) -> [String: String] {
        operations.engine.wakeUp()
        return [:]
    }
}

/// Notifies the service that a delivery was paused or continued.
package struct NotifyOfPause: ShortOperation, UseCase {
    package static let name = "instance.look"
    package static let operation = Operation(
        .post, "/deliveries/{id}/look", .send, "Notifies the master that a delivery was paused or resumed.",
        .immediate,
        isLocal: true)
    package static let members: [Member<Self>] = [.delivery(\.id)]

    private var id = DeliveryID(rawValue: 0)

    package init() {}

    package func perform(in operations: Operations) -> [String: String] {
        operations.engine.pauseChanged(id)
        return [:]
    }
}
