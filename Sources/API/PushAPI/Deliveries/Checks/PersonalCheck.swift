internal import GatewayKit
internal import PushModel
internal import PushStore

/// Checks whether any subscriber has the parameters with which a content is filled. Names are compared by
/// their bytes, as when a message is rendered.
enum PersonalCheck {
    /// The maximum number of an app's subscriptions that are searched for a name. It is large enough to
    /// detect a misspelling and small enough to be read quickly.
    private static let subscriptionsLookedAt = 10_000

    /// Returns the parameters with which messages to devices of one app are rendered.
    static func names(of content: Content, for app: App) -> Set<ExactText> {
        content.versions.reduce(into: []) { $0.formUnion(namesOfOne($1, for: app)) }
    }

    private static func namesOfOne(_ content: Content, for app: App) -> Set<ExactText> {
        let given = Set(content.variables.map(\.name))
        let defaults = app.settings.variables.filter { !given.contains($0.name) }
            .compactMap(\.defaultValue).filter { Content.isPersonalised($0) }
            .compactMap { try? PersonalText($0) }
        let section = PayloadCheck.rules(for: app).section
        let texts = content.keeping(section: section).personalTexts.map(\.text)
        return (texts + defaults).reduce(into: []) { $0.formUnion(exact($1.names)) }
    }

    /// If every app declares parameters, returns a list of the names that the content uses but no app
    /// declares. No device of these apps can have a parameter with such a name.
    /// - Parameter variables: The variables that the target gives for its recipients, who therefore need no
    ///   parameters of these names.
    /// - Returns: `nil` if there are no such names.
    static func strangeNames(
        of content: Content, for apps: [App], besides variables: RecipientVariables? = nil
    ) -> String? {
        let wanted = content.versions.flatMap(\.personalTexts).reduce(into: Set<ExactText>()) {
            $0.formUnion(exact($1.text.names))
        }
        let names = wanted.subtracting(exact(variables?.names ?? [])).map(\.text)
        let strange = undeclared(names, for: apps)
        return strange.isEmpty ? nil : list(exact(strange))
    }

    /// Returns the names of the values that the content uses and does not need, in byte order.
    static func optionalNames(of content: Content) -> [String] {
        let texts = content.versions.flatMap(\.personalTexts).map(\.text)
        let needed = texts.reduce(into: Set<ExactText>()) { $0.formUnion(exact($1.neededNames)) }
        let all = texts.reduce(into: Set<ExactText>()) { $0.formUnion(exact($1.names)) }
        return all.subtracting(needed).map(\.text).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }

    /// Returns those of the names that neither mean a collected fact nor are declared by an app; empty if an
    /// app declares no parameters, because its subscribers may have any.
    static func undeclared(_ names: [String], for apps: [App]) -> [String] {
        guard !apps.isEmpty, !apps.contains(where: \.settings.parameters.isEmpty) else { return [] }
        return names.filter { name in
            let text = ExactText(name)
            return CollectedFact(rawValue: name) == nil
                && !apps.contains { $0.settings.parameters.contains { ExactText($0.name) == text } }
        }
    }

    /// Returns warnings about probable misspellings: one line for each app, and one for the target.
    /// - Parameters:
    ///   - variables: The target's variables for recipients.
    ///   - targets: Reads the parameters that subscribers have, for apps that declare none; `nil` omits this
    ///     check.
    static func warnings(
        of content: Content, for groups: AppGroups, besides variables: RecipientVariables? = nil,
        _ targets: TargetReader?
    ) throws(StoreError) -> [String] {
        var lines: [String] = []
        let given = exact(variables?.names ?? [])
        if variables != nil {
            let used = groups.firsts.map { names(of: content, for: $0) }
            let idle = used.reduce(into: given) { $0.subtract($1) }
            if !idle.isEmpty { lines.append("recipients: no text of the content uses \(list(idle))") }
        }
        for (app, names) in groups.findings({ strangeNames(of: content, for: $0, besides: given) }) {
            if let line = try warning(about: names, for: app, targets) { lines.append(line) }
        }
        return lines
    }

    /// Returns the names in an app's messages that neither mean a collected fact, nor are given, nor are
    /// declared by the app.
    private static func strangeNames(
        of content: Content, for app: App, besides given: Set<ExactText>
    ) -> Set<ExactText> {
        let facts = CollectedFact.known(besides: app.settings.parameters)
        return names(of: content, for: app).subtracting(given).subtracting(exact(facts.map(\.rawValue)))
            .subtracting(exact(app.settings.parameters.map(\.name)))
    }

    /// Returns a warning about names that are probably misspelled; `nil` if there are none.
    /// - Parameter names: Names that the app does not declare.
    private static func warning(
        about names: Set<ExactText>, for app: App, _ targets: TargetReader?
    ) throws(StoreError) -> String? {
        var strange = names
        if app.settings.parameters.isEmpty {
            let unknown = try targets?.unknownParameters(
                names.map(\.text), of: [app.id], amongFirst: subscriptionsLookedAt)
            strange = exact(unknown ?? [])
        }
        guard !strange.isEmpty else { return nil }
        let who =
            app.settings.parameters.isEmpty
            ? "no subscriber that was checked has" : "the app does not declare"
        return """
            app \(app.name): \(who) a parameter \(list(strange)): subscribers that lack it receive \
            the default, or no message
            """
    }

    /// Returns a warning about names with which a single message is filled; `nil` if there is none.
    /// - Parameter given: The names for which the message itself has values.
    static func warning(ofMessage content: Content, for app: App, besides given: [String]) throws(StoreError)
        -> String?
    {
        let names = strangeNames(of: content, for: app, besides: exact(given))
        return names.isEmpty ? nil : try warning(about: names, for: app, nil)
    }

    private static func exact(_ names: some Sequence<String>) -> Set<ExactText> {
        Set(names.map(ExactText.init))
    }

    /// Returns the names in quotation marks.
    static func list(_ names: Set<ExactText>) -> String {
        names.map(\.text).sorted().map { "\"\($0.printable(atMost: 64))\"" }.joined(separator: ", ")
    }
}
