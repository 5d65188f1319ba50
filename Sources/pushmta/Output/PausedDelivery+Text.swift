internal import PushModel
internal import PushOperations

extension PausedDelivery {
    var pauseLine: String {
        "delivery \(delivery) is paused\(changed ? "" : " already"), and expires \(expiresAt.utcText)"
    }

    var resumeLine: String {
        changed
            ? "delivery \(delivery) goes on, and expires \(expiresAt.utcText)"
            : "delivery \(delivery) is not paused: it is \(state.rawValue)"
    }
}
