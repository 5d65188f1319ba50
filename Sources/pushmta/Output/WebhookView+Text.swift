internal import PushModel
internal import PushOperations

extension WebhookView {
    /// `working`, `failing` or `disabled`.
    var state: String { enabled ? (failures > 0 ? "failing" : "working") : "disabled" }

    var fields: [(name: String, value: String)] {
        var fields = [
            ("name", name), ("url", url), ("events", events.map(\.name).joined(separator: ", ")),
            ("service", service ?? "all"),
            ("authorities", ownAuthorities ? "its own" : "the system's"),
            ("state", disabledReason.map { "\(state): \($0)" } ?? state),
            ("created", created.utcText), ("behind", "\(Numerals.grouped(Int(behind))) events"),
        ]
        if behindSeconds > 0 {
            fields.append(("oldest", "\(StatusView.duration(Int(behindSeconds))) ago"))
        }
        fields += [
            ("told", "\(Numerals.grouped(Int(told))) events"),
            ("dropped", "\(Numerals.grouped(Int(dropped))) events"),
            ("batches", "\(batchesTaken) taken, \(attemptsFailed) attempts failed"),
        ]
        if let lastAnswer {
            fields.append(("last answer", "\(lastAnswer), \(lastAnswerAt?.utcText ?? "")"))
        }
        if let nextAttempt { fields.append(("next attempt", nextAttempt.utcText)) }
        if let oldSecretUntil { fields.append(("old secret until", oldSecretUntil.utcText)) }
        return fields
    }

    /// In `status`, of one that an operator should look at.
    var statusLine: String {
        if let disabledReason {
            return "WEBHOOK \(name) is disabled: \(disabledReason); pushmta webhook update \(name) --enable"
        }
        let since = StatusView.duration(Int(behindSeconds))
        let said = failures > 0 ? ": \(lastAnswer ?? "no answer"), \(failures) attempts in a row" : ""
        return "WEBHOOK \(name) is \(Numerals.grouped(Int(behind))) events behind, since \(since)\(said)"
    }
}
