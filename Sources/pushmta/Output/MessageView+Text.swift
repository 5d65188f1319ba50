internal import PushModel
internal import PushOperations

extension MessageView {
    var fields: [(name: String, value: String)] {
        var fields = [
            ("id", id), ("delivery", "\(delivery)"), ("app", app), ("user key", userKey), ("state", state),
            ("attempts", "\(attempts)"), ("since", updatedAt.utcText),
        ]
        if let failureReason {
            fields.append(
                ("failure", [failureType, failureReason].compactMap(\.self).joined(separator: ", ")))
        }
        if let providerReason { fields.append(("gateway said", providerReason)) }
        if let providerId { fields.append(("gateway's id", providerId)) }
        if let dueAt { fields.append(("next attempt", dueAt.utcText)) }
        fields.append(("valid until", expiresAt.utcText))
        return fields
    }

    /// In one line, for whoever waited.
    var summary: String {
        let why = [failureReason, providerReason].compactMap(\.self).joined(separator: ": ")
        return why.isEmpty ? "\(id) \(state)" : "\(id) \(state): \(why)"
    }
}
