package import PushModel

/// What Apple's devices get: `aps` first, then the ids, then the variables by name. Ids are strings because
/// the SDK drops the hit of a message whose ids are not (facts: SDK, payload shape).
extension PayloadTemplate {
    /// Bytes that APNs takes over HTTP/2 (Apple, "Generating a remote notification").
    package static let apnsLimitBytes = 4096

    /// The template of one content for one app.
    ///
    /// - Parameters:
    ///   - declared: the app's variables. Where there are any, only these are sent, and the delivery must set
    ///     those without a default; where there are none, it may set what it likes.
    ///   - tracking: whether `_mId` and `_dId` are sent.
    ///   - limitBytes: what the connector's gateway takes.
    package static func apns(
        content: Content, variables declared: [AppVariable], delivery: DeliveryID, tracking: Bool,
        idFormat: MessageIDFormat, limitBytes: Int = apnsLimitBytes
    ) throws(PayloadError) -> PayloadTemplate {
        let variables = try PayloadVariables.resolve(
            declared: declared, given: content.variables, platform: .ios)
        try refusePersonalisation(of: content, variables: variables)
        let alert = AlertTexts(content)
        if content.ios.type == .alert {
            guard !alert.isEmpty || content.ios.badge != nil || content.ios.sound != nil else {
                throw .nothingToShow
            }
            if let score = content.ios.relevanceScore, !(0...1).contains(score) {
                throw .outOfRange(path: "ios.relevanceScore", allowed: "0 to 1")
            }
        }

        var builder = PayloadTemplateBuilder()
        builder.object { root in
            root.object("aps") { aps in
                switch content.ios.type {
                case .silent: aps.one("content-available", if: true)
                case .alert: aps.visible(content.ios, alert)
                }
            }
            if tracking {
                root.slot("_mId", idFormat == .uuid ? .identity : .integer)
                root.string("_dId", String(delivery.rawValue))
            }
            for variable in variables { root.string(variable.name, variable.value) }
        }
        return try builder.template(limitBytes: limitBytes)
    }

    static func refusePersonalisation(
        of content: Content, variables: [ContentVariable]
    ) throws(PayloadError) {
        let given = content.personalisedPaths
        // Defaults come from the app and appear in no document.
        let defaults = variables.filter { Content.isPersonalised($0.value) }.map { "variables.\($0.name)" }
        let paths = given + defaults.filter { !given.contains($0) }
        if !paths.isEmpty { throw .personalised(paths) }
    }
}

/// The members of `aps.alert`. An empty text is no text: Apple shows the two alike.
private struct AlertTexts {
    var title, subtitle, body, launchImage: String?

    init(_ content: Content) {
        func filled(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
        title = filled(content.title)
        subtitle = filled(content.ios.subtitle)
        body = filled(content.body)
        launchImage = filled(content.ios.launchImage)
    }

    /// A launch image alone shows nothing.
    var isEmpty: Bool { title == nil && subtitle == nil && body == nil }
}

extension PayloadTemplateBuilder {
    fileprivate mutating func visible(_ ios: IOSContent, _ alert: AlertTexts) {
        if !alert.isEmpty {
            object("alert") { object in
                object.string("title", alert.title)
                object.string("subtitle", alert.subtitle)
                object.string("body", alert.body)
                object.string("launch-image", alert.launchImage)
            }
        }
        integer("badge", ios.badge)
        sound(ios.sound)
        string("category", ios.category)
        one("mutable-content", if: ios.mutableContent)
        one("content-available", if: ios.contentAvailable)
        string("thread-id", ios.threadID)
        string("target-content-id", ios.targetContentID)
        string("interruption-level", ios.interruptionLevel?.rawValue)
        if let score = ios.relevanceScore { number("relevance-score", String(score)) }
    }

    private mutating func sound(_ sound: IOSContent.Sound?) {
        switch sound {
        case nil: break
        case .named(let name): string("sound", name)
        case .critical(let name, let volume):
            object("sound") { object in
                object.one("critical", if: true)
                object.string("name", name)
                object.number("volume", Self.hundredths(volume))
            }
        }
    }

    /// A percentage as the exact fraction of one: 7 is `0.07`, 70 is `0.7`, 100 is `1`.
    private static func hundredths(_ percent: Int) -> String {
        let percent = min(max(percent, 0), 100)
        if percent % 100 == 0 { return String(percent / 100) }
        if percent % 10 == 0 { return "0.\(percent / 10)" }
        return percent < 10 ? "0.0\(percent)" : "0.\(percent)"
    }
}
