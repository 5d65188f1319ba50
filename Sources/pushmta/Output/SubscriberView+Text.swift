internal import PushModel
internal import PushOperations

extension SubscriberView {
    var fields: [(name: String, value: String)] {
        let given = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [
            ("app", app),
            ("token", registrationToken),
            ("user key", userKey),
            ("parameters", given.joined(separator: ", ")),
            ("state", state),
            ("errors", "\(errors)"),
            ("first registered", createdAt.utcText),
            ("last registered", registeredAt.utcText),
        ]
    }
}
