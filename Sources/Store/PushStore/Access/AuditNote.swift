package import PushModel
internal import Synchronization

/// The text that describes a change in the audit trail. It contains names, but no secrets and no device
/// tokens.
package struct AuditText: Equatable, Sendable {
    package let what: String
    /// Whether the line ends with the name that the store assigns to the object created by the change. If so,
    /// a unit that creates no such object adds no line. An example is the unit that writes recipients before
    /// their delivery is created.
    package let endsWithName: Bool

    /// - Parameter what: The object of the change.
    package static func of(_ what: String) -> Self { Self(what: what, endsWithName: false) }
    /// - Parameter what: The text before the name of the created object.
    package static func making(_ what: String = "") -> Self { Self(what: what, endsWithName: true) }
}

/// The line that a change adds to the audit trail.
///
/// **Promises.** The line is written in the same transaction as the change, by the first unit of the change
/// that modifies a row. There is no change without its line, and no line without a change. See
/// ``Store/noting(_:)``.
package final class AuditNote: Sendable {
    private let who: String
    private let action: String
    private let text: AuditText
    private let at: WallMoment
    private let isWritten = Atomic(false)

    /// - Parameters:
    ///   - who: A token's name, or the caller of the command.
    ///   - action: A use case's name, such as `token.create`.
    package init(who: String, action: String, _ text: AuditText, at moment: WallMoment) {
        (self.who, self.action, self.text, at) = (who, action, text, moment)
    }

    var isOpen: Bool { !isWritten.load(ordering: .relaxed) }

    /// Records that the line has been written. Must be called after a unit that added the line has been
    /// committed.
    func close() { isWritten.store(true, ordering: .relaxed) }

    /// Adds the line on its own, for a use case that changes nothing in this store.
    func write(to db: any Session) throws {
        try AuditWriter.note(who: who, action: action, what: text.what, at: at, db)
    }

    /// Runs a unit of the change and adds the line if the unit changes anything.
    @_semantics("optimize.sil.specialize.generic.never")
    func add<Value>(
        to db: any Session, _ unit: (any Session) throws -> Value
    ) throws -> (value: Value, isAdded: Bool) {
        try db.settle()
        let before = db.totalChanges
        let value = try unit(db)
        try db.settle()
        // A nested unit may have added the line.
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

/// The result of a unit that creates an object. The audit trail records the object's name.
protocol AuditNamed {
    /// The name of the created object; `nil` if nothing was created.
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
