package import PushModel
internal import Synchronization

/// What a change does, as its line in the audit trail has it: names, no secret and no device token.
package struct AuditText: Equatable, Sendable {
    package let what: String
    /// Whether the line ends with the name that the store gives to what the change makes. Units that make nothing
    /// with such a name have no line then: recipients that are written before their delivery.
    package let endsWithName: Bool

    /// - Parameter what: what is changed.
    package static func of(_ what: String) -> Self { Self(what: what, endsWithName: false) }
    /// - Parameter what: what precedes the name of what is made.
    package static func making(_ what: String = "") -> Self { Self(what: what, endsWithName: true) }
}

/// The line that a change adds to the audit trail.
///
/// **Promises.** It is written in the same transaction as the change, by the change's first unit that changes any row:
/// there is no change without its line, and no line without a change. See ``Store/noting(_:)``.
package final class AuditNote: Sendable {
    private let who: String
    private let action: String
    private let text: AuditText
    private let at: WallMoment
    private let isWritten = Atomic(false)

    /// - Parameters:
    ///   - who: a token's name, or whose command it is.
    ///   - action: a use case's name: `token.create`.
    package init(who: String, action: String, _ text: AuditText, at moment: WallMoment) {
        (self.who, self.action, self.text, at) = (who, action, text, moment)
    }

    var isOpen: Bool { !isWritten.load(ordering: .relaxed) }

    /// To be called after the commit of a unit that added the line.
    func close() { isWritten.store(true, ordering: .relaxed) }

    /// Runs a unit of the change, which adds the line if it changes anything.
    func add<Value>(
        to db: any Session, _ unit: (any Session) throws -> Value
    ) throws -> (value: Value, isAdded: Bool) {
        try db.settle()
        let before = db.totalChanges
        let value = try unit(db)
        try db.settle()
        // A unit within this one may have added it.
        guard db.totalChanges > before, isOpen, let what = what(of: value) else { return (value, false) }
        try AuditWriter.note(who: who, action: action, what: what, at: at, db)
        return (value, true)
    }

    private func what(of value: Any) -> String? {
        guard text.endsWithName else { return text.what }
        guard let name = (value as? any AuditNamed)?.auditName else { return nil }
        return text.what.isEmpty ? name : "\(text.what) \(name)"
    }
}

/// What a unit makes, if the audit trail names it.
protocol AuditNamed {
    /// nil: nothing was made.
    var auditName: String? { get }
}

extension DeliveryID: AuditNamed {
    var auditName: String? { "\(self)" }
}

extension KeyedSubmission: AuditNamed {
    var auditName: String? {
        if case .accepted(let id) = self { "\(id)" } else { nil }
    }
}

extension TemplateWriter.Saved: AuditNamed {
    var auditName: String? { isNew ? "version \(version)" : nil }
}
