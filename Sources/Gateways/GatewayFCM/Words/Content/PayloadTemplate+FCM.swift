package import PushModel
package import PushPayload

/// The payload for Android devices, as the body of one request to FCM (facts: FCM, message fields; SDK,
/// payload shape).
///
/// Every value in `data` is a string, as FCM requires. The SDK also reads ids as strings, and custom members
/// that are not strings are sent as JSON text.
extension PayloadTemplate {
    /// The maximum payload size of FCM, in bytes: "4096 bytes … this includes both the keys and the values"
    /// (Firebase, FCM error codes).
    ///
    /// The limit applies to the payload and not to its envelope: the token, the priority and the time to live
    /// do not count toward it. Google does not document how it counts the fields of a notification, so this
    /// limit covers the JSON text of `data`, `notification` and `android.notification`: names, values,
    /// escapes and punctuation. That text is never shorter than the names and values alone, so FCM accepts
    /// every payload that passes this check.
    package static let fcmLimitBytes = 4096

    /// Returns the template of one content for one app. Its slots are the message's id (unless `tracking` is
    /// false), the device's token and the seconds to live.
    ///
    /// If the app uses the legacy interface and the payload is the same for all devices (``isSameForAll``),
    /// the body has `registration_ids` and takes a list of tokens (``takesTokenList``). Otherwise it has `to`
    /// or `token`.
    ///
    /// The legacy interface supports fewer fields of a notification, and a data message has no such fields.
    /// Unsupported options are omitted, as in Campaign. See ``UnsentOptions``, which names them.
    ///
    /// - Parameters:
    ///   - declared: The app's variables. If the app declares variables, only these are sent, and the
    ///     delivery must set the variables that have no default. Otherwise the delivery may set any
    ///     variables.
    ///   - tracking: Whether `_mId` and `_dId` are sent.
    package static func android(
        content: Content, variables declared: [AppVariable], delivery: DeliveryID, tracking: Bool,
        idFormat: MessageIDFormat, envelope: AndroidEnvelope = AndroidEnvelope(),
        limitBytes: Int = fcmLimitBytes
    ) throws(PayloadError) -> PayloadTemplate {
        try byLanguage(content) { version, isShortened throws(PayloadError) in
            try androidOfOne(
                version, isShortened: isShortened, isOfSeveral: !content.languages.isEmpty,
                variables: declared, delivery: delivery,
                tracking: tracking, idFormat: idFormat, envelope: envelope, limitBytes: limitBytes)
        }
    }

    /// - Parameters:
    ///   - content: The content, whose language versions are ignored.
    ///   - isShortened: Whether the content was shortened to fit the limit.
    ///   - isOfSeveral: Whether devices with other languages get a different version of the content.
    private static func androidOfOne(
        _ content: Content, isShortened: Bool, isOfSeveral: Bool, variables declared: [AppVariable],
        delivery: DeliveryID,
        tracking: Bool, idFormat: MessageIDFormat, envelope: AndroidEnvelope, limitBytes: Int
    ) throws(PayloadError) -> PayloadTemplate {
        let (content, declared) = content.sentOnAndroid(declared)
        let variables = try PayloadVariables.resolve(
            declared: declared, given: content.variables, platform: .android)
        let custom = try PayloadVariables.custom(of: content, alongside: variables, platform: .android)
        let taken = content.namesTakenOnAndroid
        let clashing = custom.map(\.name).filter { taken.contains($0) }
        if !clashing.isEmpty { throw .variablesReserved(clashing, .android) }
        try checkPlaces(of: content, variables: variables)
        if envelope.interface == .legacy { try checkLegacyArguments(of: content) }
        if content.android.type == .notification, !AndroidMessage.showsText(content) {
            throw .noNotificationText
        }

        let message = AndroidMessage(
            content: content, isOfSeveral: isOfSeveral, variables: variables, custom: custom,
            delivery: delivery,
            idSlot: idFormat.slot(tracking: tracking),
            validateOnly: envelope.validateOnly || content.android.validateOnly)
        var builder = PayloadTemplateBuilder()
        builder.object { root in
            switch envelope.interface {
            case .httpV1: root.httpV1(message)
            case .legacy: root.legacy(message)
            }
        }
        return try builder.template(limitBytes: limitBytes, isShortened: isShortened)
    }
}

extension Content {
    /// The names that the content uses on Android in addition to the reserved names. The title of a data
    /// message is sent with the key `title`, which is an ordinary variable if the content has no title.
    package var namesTakenOnAndroid: [String] {
        android.type == .data && title?.isEmpty == false ? [Self.titleVariable] : []
    }

    private static let titleVariable = "title"

    /// Returns the content and the app's variables as a message contains them.
    ///
    /// - A silent message has neither title nor body.
    /// - A data message has one value for the key `title`: a variable `title` in the content takes precedence
    ///   over the content's title, which is then for other devices. The content's title takes precedence over
    ///   the default of the app's variable.
    fileprivate func sentOnAndroid(_ declared: [AppVariable]) -> (Content, [AppVariable]) {
        var own = self
        if android.type == .silent { (own.title, own.body) = (nil, nil) }
        guard !namesTakenOnAndroid.isEmpty else { return (own, declared) }
        let isDeclared = declared.contains { $0.name == Self.titleVariable }
        let isGiven = variables.contains { $0.name == Self.titleVariable }
        if isGiven, isDeclared || declared.isEmpty {
            own.title = nil
            return (own, declared)
        }
        guard isDeclared else { return (own, declared) }
        // An app that declares variables never receives others, even if it declares no other variable.
        let others = declared.filter { $0.name != Self.titleVariable }
        own.variables.removeAll { given in !others.contains { $0.name == given.name } }
        return (own, others)
    }
}

extension PayloadTemplate {
    /// Refuses variables in the arguments of localised texts. In the legacy interface, the arguments are JSON
    /// within a string.
    private static func checkLegacyArguments(of content: Content) throws(PayloadError) {
        let paths = content.personalTexts.filter { !$0.text.names.isEmpty }.map(\.path).filter {
            $0.hasPrefix("android.titleLocArgs") || $0.hasPrefix("android.bodyLocArgs")
        }
        if !paths.isEmpty {
            throw .places(paths.map { "\($0): FCM's legacy interface does not support {{ here" })
        }
    }
}

extension PayloadError {
    /// The error for a notification message without a text. The device would show nothing.
    package static let noNotificationText = lacking(
        """
        a notification message needs a title or body; a message for the app alone needs android.type \
        \"data\"
        """
    )
}

/// The information in a message, which is the same for both interfaces. Each interface has its own notation.
struct AndroidMessage {
    let content: Content
    /// Whether devices with other languages get another version.
    let isOfSeveral: Bool
    let variables: [ContentVariable]
    let custom: [CustomMember]
    let delivery: DeliveryID
    /// The slot that fills `_mId`; `nil` if tracking is off.
    let idSlot: PayloadTemplate.Slot?
    let validateOnly: Bool

    var android: AndroidContent { content.android }
    /// Whether the message differs between devices by more than its id.
    var isPersonalised: Bool {
        if isOfSeveral { return true }
        var sent = content.keeping(section: AndroidContent.name)
        sent.variables = variables
        return sent.personalTexts.contains { !$0.text.names.isEmpty }
    }
    var isNotification: Bool { android.type == .notification }
    var title: String? { Self.filled(content.title) }
    var body: String? { Self.filled(content.body) }
    /// The edges at which the title may be shortened; `nil` if it must not be shortened.
    var titleEdges: (start: TextEdge, end: TextEdge)? { content.shortens ? TextEdge.title : nil }
    var bodyEdges: (start: TextEdge, end: TextEdge)? { content.shortens ? TextEdge.body : nil }

    /// Reports whether a data message has a text that the app can show.
    /// - Parameter titled: Whether the message has a variable `title`.
    static func hasText(_ content: Content, titled: Bool) -> Bool {
        titled || [content.title, content.body].contains { filled($0) != nil }
    }

    static func showsText(_ content: Content) -> Bool {
        [content.title, content.body, content.android.titleLocKey, content.android.bodyLocKey]
            .contains { filled($0) != nil }
    }

    /// Returns the text; `nil` if it is empty, because an empty text is treated as no text.
    static func filled(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
}

extension PayloadTemplateBuilder {
    fileprivate mutating func httpV1(_ message: AndroidMessage) {
        let android = message.android
        flag("validate_only", if: message.validateOnly)
        object("message") { root in
            root.slot("token", .token)
            if message.isNotification {
                root.payload("notification") { notification in
                    notification.string("title", message.title, message.titleEdges)
                    notification.string("body", message.body, message.bodyEdges)
                    notification.string("image", android.image)
                }
            }
            root.data(of: message)
            root.object("android") { object in
                object.string("collapse_key", android.collapseKey)
                object.string("priority", android.priority == .high ? "HIGH" : "NORMAL")
                object.slot("ttl", .secondsToLive, suffix: "s")
                object.string("restricted_package_name", android.restrictedPackageName)
                object.flag("direct_boot_ok", if: android.directBootOK)
                object.flag("bandwidth_constrained_ok", if: android.bandwidthConstrainedOK)
                object.flag("restricted_satellite_ok", if: android.restrictedSatelliteOK)
                if let label = android.analyticsLabel {
                    object.object("fcm_options") { $0.string("analytics_label", label) }
                }
                if message.isNotification, android.statesPresentation {
                    object.payload("notification") { $0.notificationV1(android) }
                }
            }
        }
    }

    fileprivate mutating func legacy(_ message: AndroidMessage) {
        let android = message.android
        if message.idSlot == nil, !message.isPersonalised {
            bareSlot("registration_ids", .tokenList, between: "[", and: "]")
        } else {
            slot("to", .token)
        }
        flag("dry_run", if: message.validateOnly)
        string("collapse_key", android.collapseKey)
        string("priority", android.priority.rawValue)
        bareSlot("time_to_live", .secondsToLive)
        string("restricted_package_name", android.restrictedPackageName)
        if message.isNotification {
            payload("notification") { notification in
                notification.string("title", message.title, message.titleEdges)
                notification.string("body", message.body, message.bodyEdges)
                notification.string("android_channel_id", android.channelID)
                notification.sharedFields(android)
                // The legacy interface expects the arguments as the text of an array.
                notification.string("title_loc_key", android.titleLocKey)
                notification.string("title_loc_args", Self.arrayText(android.titleLocArgs))
                notification.string("body_loc_key", android.bodyLocKey)
                notification.string("body_loc_args", Self.arrayText(android.bodyLocArgs))
            }
        }
        data(of: message)
    }

    /// Writes `data`, unless it would be empty.
    private mutating func data(of message: AndroidMessage) {
        let showsItself = message.android.type == .data
        guard
            message.idSlot != nil || !message.variables.isEmpty || !message.custom.isEmpty
                || showsItself && (message.title != nil || message.body != nil)
        else { return }
        payload("data") { data in
            if showsItself {
                data.string("_msg", message.body, message.bodyEdges)
                data.string("title", message.title, message.titleEdges)
            }
            data.data(
                of: message.delivery, id: message.idSlot, message.variables, message.custom, isText: true)
        }
    }

    /// Writes `android.notification`. The title, body and image are in the `notification` that all platforms
    /// share.
    private mutating func notificationV1(_ android: AndroidContent) {
        string("channel_id", android.channelID)
        sharedFields(android)
        string("ticker", android.ticker)
        flag("sticky", if: android.sticky)
        string("visibility", android.visibility?.rawValue.uppercased())
        string("proxy", android.proxy?.fcmName)
        string("notification_priority", android.notificationPriority?.fcmName)
        integer("notification_count", android.notificationCount)
        string("title_loc_key", android.titleLocKey)
        strings("title_loc_args", android.titleLocArgs)
        string("body_loc_key", android.bodyLocKey)
        strings("body_loc_args", android.bodyLocArgs)
        string("event_time", android.eventTime?.utcText)
        flag("local_only", if: android.localOnly)
        flag("default_sound", if: android.defaultSound)
        flag("default_vibrate_timings", if: android.defaultVibrateTimings)
        flag("default_light_settings", if: android.defaultLightSettings)
        strings("vibrate_timings", android.vibrateTimings)
        if let light = android.lightSettings {
            object("light_settings") { object in
                object.object("color") { color in
                    for (name, share) in light.shares { color.spelled(name, String(share)) }
                }
                object.string("light_on_duration", light.onDuration)
                object.string("light_off_duration", light.offDuration)
            }
        }
    }

    /// Writes the fields that have the same names in both interfaces.
    private mutating func sharedFields(_ android: AndroidContent) {
        string("icon", android.icon)
        string("sound", android.sound)
        string("tag", android.tag)
        string("color", android.color)
        string("click_action", android.clickAction)
    }

    private static func arrayText(_ values: [String]) -> String? {
        guard !values.isEmpty else { return nil }
        var bytes = Array("[".utf8)
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(value, to: &bytes)
        }
        return String(decoding: bytes + Array("]".utf8), as: UTF8.self)
    }
}

extension AndroidContent {
    /// Whether `android.notification` has any members.
    fileprivate var statesPresentation: Bool {
        var plain = AndroidContent()
        plain.type = type
        plain.priority = priority
        plain.collapseKey = collapseKey
        plain.restrictedPackageName = restrictedPackageName
        plain.validateOnly = validateOnly
        plain.directBootOK = directBootOK
        plain.bandwidthConstrainedOK = bandwidthConstrainedOK
        plain.restrictedSatelliteOK = restrictedSatelliteOK
        plain.analyticsLabel = analyticsLabel
        plain.image = image
        return self != plain
    }
}

extension AndroidContent.Proxy {
    fileprivate var fcmName: String {
        switch self {
        case .allow: "ALLOW"
        case .deny: "DENY"
        case .ifPriorityLowered: "IF_PRIORITY_LOWERED"
        }
    }
}

extension AndroidContent.NotificationPriority {
    fileprivate var fcmName: String {
        switch self {
        case .default: "PRIORITY_DEFAULT"
        case .minimum: "PRIORITY_MIN"
        case .low: "PRIORITY_LOW"
        case .high: "PRIORITY_HIGH"
        case .maximum: "PRIORITY_MAX"
        }
    }
}

extension AndroidContent.LightSettings {
    /// The colour in FCM's notation: each component as a fraction of one.
    fileprivate var shares: [(name: String, share: Double)] {
        let digits = color.utf8.dropFirst().compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        let parts = stride(from: 0, to: digits.count - 1, by: 2).map {
            Double(digits[$0] * 16 + digits[$0 + 1]) / 255
        }
        return Array(zip(["red", "green", "blue", "alpha"], parts.count == 3 ? parts + [1] : parts))
    }
}
