package import PushModel

/// What a gateway makes of a content beside its payload: what is asked when a content is submitted, replaced or sent.
package struct ContentRules: Sendable {
    /// The name of its section, the only one that its payloads are made of. nil: it has none.
    package var section: String?
    /// What the gateway would take of such an app and no device get, with its path. nil: nothing.
    package var misfit: @Sendable (Content, AppSettings) -> String? = { _, _ in nil }
    /// Why its devices show neither title nor body, and what to do: asked where that is so of all apps. nil: they do.
    package var hidesTexts: @Sendable (Content) -> String? = { _ in nil }
    /// What is not sent of a content to such an app, a line each.
    package var unsent: @Sendable (Content, AppSettings) -> [String] = { _, _ in [] }
    /// The name of the sound that devices play. nil: none.
    package var sound: @Sendable (Content) -> String? = { _ in nil }
    /// By what names its notifications are replaced on devices. nil: nobody knows.
    package var replacement: (@Sendable (Content) -> ReplacementNames)?
    /// Whether the gateway is asked to check a message and to give it to no device. nil: it cannot be asked to.
    package var validatesOnly: (@Sendable (Content) -> Bool)?
    /// Asks for that, if the gateway can be asked to.
    package var validating: @Sendable (inout Content) -> Void = { _ in }

    package init() {}
}

/// By what names devices replace the notifications that have a content.
package struct ReplacementNames: Sendable {
    /// All members that can hold such a name, as errors call them: `android.tag`.
    package let keys: [String]
    /// What a content must say in the gateway's section to replace one of this content, by member.
    package var members: [(key: String, value: String)] = []
    /// Why nothing is replaced. nil: something is.
    package var lack: String?
    /// What is not replaced, behind the app's name. nil: everything is.
    package var warning: String?

    package init(keys: [String]) { self.keys = keys }

    /// Whether a content of these names replaces nothing of one of the other names.
    package func differs(from other: ReplacementNames) -> Bool {
        other.members.contains { wanted in
            !members.contains { $0.key == wanted.key && $0.value == wanted.value }
        }
    }
}

extension Content {
    /// A name that it has in all languages. nil: it has none, or another one in one of them.
    package func common(_ name: (Content) -> String?) -> String? {
        let names = Set(versions.map(name))
        return names.count == 1 ? names.first ?? nil : nil
    }
}
