internal import PushAPI
internal import PushModel
internal import Synchronization

/// The replies to forms that must have one effect, however often a browser submits them: after a double
/// click, after going back, or after a connection that broke. See ``ConsoleRoute/isOnce``.
///
/// The first submission is carried out. Others of the same form wait for it and get its reply. If it was
/// refused, the next one is carried out. The replies are in the memory of this process. A use case that
/// creates something without a unique name therefore keeps the form's key in the store as well: see
/// ``Visit/carryOut(_:)``.
final class SubmittedForms: Sendable {
    static let repeated = Notice("form.repeated", .repeated, tone: .warn)
    private static let maxForms = 1_000
    private static let keptMilliseconds: Int64 = 86_400_000
    /// How long a repetition gets the reply itself. The reply can be a page with a secret.
    private static let wholeMilliseconds: Int64 = 60_000

    /// A form with what a person filled in. If the person changes something and submits it again, it is
    /// another form.
    private struct Form: Hashable, Sendable {
        let person: String
        let address: String
        let key: String
        let content: Int

        init(_ visit: Visit) {
            (person, address, key) = (visit.session.person, visit.request.address.text, visit.formKey)
            var hasher = Hasher()
            for field in visit.form.without(FormNames.all).fields {
                hasher.combine(field.name)
                hasher.combine(field.value)
            }
            for file in visit.request.files {
                hasher.combine(file.field)
                hasher.combine(file.name)
                hasher.combine(file.bytes)
            }
            content = hasher.finalize()
        }
    }

    private final class Entry: Sendable {
        let at: MonotonicTime
        /// What to answer to a repetition; `nil` until the form has had its effect.
        let reply = Mutex<Reply?>(nil)

        init(at: MonotonicTime) { self.at = at }

        func age(at now: MonotonicTime) -> Int64 { now.milliseconds(since: at) }
    }
    private let entries = Mutex<[Form: Entry]>([:])

    /// Returns the reply to a submitted form.
    /// - Parameter carryOut: Carries out the form. It is not called if the form has had its effect.
    func reply(to visit: Visit, _ carryOut: () throws -> Reply) throws -> Reply {
        let now = visit.operations.clock.monotonic()
        return try entry(of: Form(visit), at: now).reply.withLock { kept in
            if let kept { return kept }
            let reply = try carryOut()
            if reply.isEffect { kept = reply }
            return reply
        }
    }

    private func entry(of form: Form, at now: MonotonicTime) -> Entry {
        entries.withLock { entries in
            entries = entries.filter { $0.value.age(at: now) < Self.keptMilliseconds }
            for (form, entry) in entries where entry.age(at: now) >= Self.wholeMilliseconds {
                // A form that is still being carried out has no reply yet.
                entry.reply.withLockIfAvailable { $0 = $0.map { Self.pointer(to: $0, form.address) } }
            }
            if let known = entries[form] { return known }
            if entries.count >= Self.maxForms, let oldest = entries.min(by: { $0.value.at < $1.value.at }) {
                entries[oldest.key] = nil
            }
            let new = Entry(at: now)
            entries[form] = new
            return new
        }
    }

    /// Returns the reply without a page that is shown once: the page on which the person finds what the form
    /// created.
    private static func pointer(to reply: Reply, _ address: String) -> Reply {
        if case .redirect(let path) = reply.content { return .redirect(path, notice: repeated) }
        let path = address.prefix { $0 != "?" }
        let above = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        return .redirect(ConsolePath(returning: above) ?? "/", notice: repeated)
    }
}

extension Phrase {
    fileprivate static let repeated = Phrase(
        "This form was already submitted. Nothing was done a second time.",
        "Dieses Formular wurde schon abgesendet. Nichts wurde ein zweites Mal getan.")
}
