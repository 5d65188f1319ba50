package import PushModel

/// A gateway's rules for a content, apart from the rules for the content's payload. The rules are evaluated
/// when a content is submitted, replaced or sent.
package struct ContentRules: Sendable {
    /// The name of the gateway's section in a content. The gateway's payloads contain nothing from other
    /// gateways' sections. `nil` if the gateway has no section.
    package var section: String?
    /// Describes a member of the content, with its path, that would prevent an app's devices from receiving
    /// messages that the gateway accepts. `nil` if there is no such member.
    package var mismatch: @Sendable (Content, AppSettings) -> String? = { _, _ in nil }
    /// The reason why the gateway's devices show neither the title nor the body, with the remedy. `nil` if
    /// the devices show them. The reason is reported only if none of the delivery's apps has devices that
    /// show them.
    package var hidesTexts: @Sendable (Content) -> String? = { _ in nil }
    /// Describes the text that the content lacks, if an app's devices would therefore show nothing. `nil` if
    /// the content has a text, or states that it is not shown. A delivery with such a content is refused; a
    /// template may leave the text to its deliveries.
    package var lackOfText: @Sendable (Content, AppSettings) -> String? = { _, _ in nil }
    /// The parts of a content that are not sent to an app, one line each.
    package var unsent: @Sendable (Content, AppSettings) -> [String] = { _, _ in [] }
    /// The parts of a content that are sent but probably have no effect on an app's devices, one line each.
    package var withoutEffect: @Sendable (Content, AppSettings) -> [String] = { _, _ in [] }
    /// The name of the sound that devices play. `nil` if there is none.
    package var sound: @Sendable (Content) -> String? = { _ in nil }
    /// The name of the category by which the app's code chooses how to show the notification. `nil` if there
    /// is none.
    package var category: @Sendable (Content) -> String? = { _ in nil }
    /// The names by which devices replace the notifications of a content. `nil` if they are unknown.
    package var replacement: (@Sendable (Content) -> ReplacementNames)?
    /// Whether the content asks the gateway to check a message without delivering it to a device. `nil` if
    /// the gateway does not support this.
    package var validatesOnly: (@Sendable (Content) -> Bool)?
    /// Changes a content so that it asks the gateway only to check its messages. Does nothing if the gateway
    /// does not support this.
    package var validating: @Sendable (inout Content) -> Void = { _ in }

    package init() {}
}

/// The names by which devices replace the notifications of a content.
package struct ReplacementNames: Sendable {
    /// All members that can contain such a name, in the notation of error messages: `android.tag`.
    package let keys: [String]
    /// The members that a later content must have in the gateway's section to replace a notification of this
    /// content.
    package var members: [(key: String, value: String)] = []
    /// The reason why no notification is replaced. `nil` if notifications are replaced.
    package var lack: String?
    /// The notifications that are not replaced, as a text that follows the app's name. `nil` if all
    /// notifications are replaced.
    package var warning: String?

    package init(keys: [String]) { self.keys = keys }

    /// Returns `true` if a content with these names would not replace any notification of a content with the
    /// names in `other`.
    package func differs(from other: ReplacementNames) -> Bool {
        other.members.contains { wanted in
            !members.contains { $0.key == wanted.key && $0.value == wanted.value }
        }
    }
}

extension AppSettings {
    /// Reports whether the app's messages with a content contain a value for a variable.
    package func hasValue(of variable: String, in content: Content) -> Bool {
        let declared = variables.first { $0.name == variable }
        guard declared != nil || variables.isEmpty else { return false }
        let given = content.variables.first { $0.name == variable }?.value
        return (given ?? declared?.defaultValue)?.isEmpty == false
    }
}

extension Content {
    /// Returns a name that the content has in all languages; `nil` if the content has no name, or if the name
    /// is not the same in all languages.
    package func common(_ name: (Content) -> String?) -> String? {
        let names = Set(versions.map(name))
        return names.count == 1 ? names.first ?? nil : nil
    }
}
