package import PushModel
package import PushPayload

/// The payload for Apple devices: `aps` first, then the ids, then variables and custom members, sorted by
/// name.
extension PayloadTemplate {
    /// The maximum payload size of APNs over HTTP/2, in bytes (Apple, "Generating a remote notification").
    package static let apnsLimitBytes = 4096
    /// The maximum payload size of a `voip` push, in bytes, which is the largest of all push types.
    package static let voipLimitBytes = 5120

    package static func apnsLimitBytes(of type: IOSContent.Kind) -> Int {
        type == .voip ? voipLimitBytes : apnsLimitBytes
    }

    /// Returns the template of one content for one app.
    ///
    /// - Parameters:
    ///   - declared: The app's variables. If the app declares variables, only these are sent, and the
    ///     delivery must set the variables that have no default. Otherwise the delivery may set any
    ///     variables.
    ///   - tracking: Whether `_mId` and `_dId` are sent.
    ///   - limitBytes: The maximum payload size of the connector's gateway; `nil` for the limit of APNs over
    ///     HTTP/2.
    package static func apns(
        content: Content, variables declared: [AppVariable], delivery: DeliveryID, tracking: Bool,
        idFormat: MessageIDFormat, limitBytes: Int? = nil
    ) throws(PayloadError) -> PayloadTemplate {
        try byLanguage(content) { version, isShortened throws(PayloadError) in
            try apnsOfOne(
                version, isShortened: isShortened, variables: declared, delivery: delivery,
                tracking: tracking, idFormat: idFormat,
                limitBytes: limitBytes ?? apnsLimitBytes(of: content.ios.type))
        }
    }

    /// - Parameters:
    ///   - content: The content, whose language versions are ignored.
    ///   - isShortened: Whether the content was shortened to fit the limit.
    private static func apnsOfOne(
        _ content: Content, isShortened: Bool, variables declared: [AppVariable], delivery: DeliveryID,
        tracking: Bool, idFormat: MessageIDFormat, limitBytes: Int
    ) throws(PayloadError) -> PayloadTemplate {
        let variables = try PayloadVariables.resolve(
            declared: declared, given: content.variables, platform: .ios)
        let custom = try PayloadVariables.custom(of: content, alongside: variables, platform: .ios)
        try checkPlaces(of: content, variables: variables)
        let alert = AlertTexts(content)
        if content.ios.type == .alert {
            guard alert.showsText || content.ios.badge != nil || content.ios.sound != nil else {
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
                case .alert: aps.visible(content.ios, alert)
                case .silent: aps.one("content-available", if: true)
                case .controls, .widgets: aps.flag("content-changed", if: true)
                // For these types, `aps` stays empty, and the data is sent next to it.
                case .voip, .complication, .fileprovider, .location, .pushtotalk: break
                }
            }
            root.data(of: delivery, id: idFormat.slot(tracking: tracking), variables, custom)
        }
        return try builder.template(limitBytes: limitBytes, isShortened: isShortened)
    }
}

extension PayloadError {
    /// The error for a content without text, badge or sound. APNs would refuse its payload as empty.
    package static let nothingToShow = lacking(
        "an alert needs a title, body, subtitle (or a key for one of them), badge or sound; a push that is "
            + "not shown needs ios.type \"silent\"")
}

/// The members of `aps.alert`. An empty text is treated as no text, because Apple shows both in the same way.
private struct AlertTexts {
    /// The keys are Apple's.
    let texts: [(key: String, value: String)]
    /// Whether the title and the body may be shortened.
    let shortens: Bool
    let arguments: [(key: String, values: [String])]
    let launchImage: String?
    let actionLocKey: String?

    init(_ content: Content) {
        func filled(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
        let ios = content.ios
        texts = [
            ("title", content.title), ("title-loc-key", ios.titleLocKey), ("subtitle", ios.subtitle),
            ("subtitle-loc-key", ios.subtitleLocKey), ("body", content.body), ("loc-key", ios.bodyLocKey),
        ].compactMap { key, text in filled(text).map { (key, $0) } }
        arguments = [
            ("title-loc-args", ios.titleLocArgs), ("subtitle-loc-args", ios.subtitleLocArgs),
            ("loc-args", ios.bodyLocArgs),
        ]
        shortens = content.shortens
        launchImage = filled(ios.launchImage)
        actionLocKey = filled(ios.actionLocKey)
    }

    /// Returns `nil` if the text must not be shortened.
    func edges(of key: String) -> (start: TextEdge, end: TextEdge)? {
        switch key {
        case "body" where shortens: TextEdge.body
        case "title" where shortens: TextEdge.title
        default: nil
        }
    }

    /// A launch image or a button alone does not show anything.
    var showsText: Bool { !texts.isEmpty }
    var isEmpty: Bool { texts.isEmpty && launchImage == nil && actionLocKey == nil }
}

extension PayloadTemplateBuilder {
    fileprivate mutating func visible(_ ios: IOSContent, _ alert: AlertTexts) {
        if !alert.isEmpty {
            object("alert") { object in
                for text in alert.texts { object.string(text.key, text.value, alert.edges(of: text.key)) }
                for list in alert.arguments { object.strings(list.key, list.values) }
                object.string("action-loc-key", alert.actionLocKey)
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
        if let score = ios.relevanceScore { spelled("relevance-score", String(score)) }
    }

    private mutating func sound(_ sound: IOSContent.Sound?) {
        switch sound {
        case nil: break
        case .named(let name): string("sound", name)
        case .critical(let name, let volume):
            object("sound") { object in
                object.one("critical", if: true)
                object.string("name", name)
                object.spelled("volume", Self.hundredths(volume))
            }
        }
    }

    /// Returns a percentage as an exact fraction of one: 7 is `0.07`, 70 is `0.7`, 100 is `1`.
    private static func hundredths(_ percent: Int) -> String {
        let percent = min(max(percent, 0), 100)
        if percent % 100 == 0 { return String(percent / 100) }
        if percent % 10 == 0 { return "0.\(percent / 10)" }
        return percent < 10 ? "0.0\(percent)" : "0.\(percent)"
    }
}
