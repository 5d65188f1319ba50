internal import PushModel
package import PushWire

extension ContentDocument {
    /// The sections of a content that a connector to FCM reads.
    package static let fcm = ContentDocument(only: .android)
}

extension ContentSectionDeclaration {
    /// `content.android`
    package static let android = ContentSectionDeclaration(
        \.android, AndroidContent.fields, "settings for Android only", platform: .android,
        sameInAllLanguages: "type is"
    ) { $0.type == $1.type }
}

/// The members of `content.android`. See ``AndroidContent`` for their meaning.
extension AndroidContent {
    fileprivate static let fields = Fields(
        AndroidContent(), usualFields + rarerFields, named: "AndroidContent"
    ) {
        reader, object, _ in
        reader.refuseArguments(of: object, without: ["titleLoc", "bodyLoc"])
    }

    private static let usualFields: [Field<AndroidContent>] = [
        Field(
            "type", \.type, .word,
            "data, which the app displays; notification, which the system displays; or silent, which only "
                + "the app reads"),
        Field("priority", \.priority, .word),
        Field(
            "collapseKey", \.collapseKey, .text(.bytes(256)),
            "the gateway keeps only the last waiting message with the same key"),
        Field("restrictedPackageName", \.restrictedPackageName, .text(.bytes(256), .packageName)),
        Field(
            "validateOnly", \.validateOnly, .boolean,
            "the gateway only validates the message and does not send it to a device"),
        Field("directBootOk", \.directBootOK, .boolean),
        Field("bandwidthConstrainedOk", \.bandwidthConstrainedOK, .boolean),
        Field("restrictedSatelliteOk", \.restrictedSatelliteOK, .boolean),
        Field(
            "analyticsLabel", \.analyticsLabel, .text(.analyticsLabel, schema: .text(most: 50)),
            "1 to 50 letters, digits and -_.~%"),
        Field("channelId", \.channelID, .text()),
        Field("sound", \.sound, .text()),
        Field("color", \.color, .text(.color), "#rrggbb"),
        Field("icon", \.icon, .text()),
        Field("image", \.image, .text()),
        Field("tag", \.tag, .text(), "replaces an earlier notification with the same tag"),
        Field("clickAction", \.clickAction, .text()),
        Field("ticker", \.ticker, .text()),
        Field("sticky", \.sticky, .boolean),
        Field("notificationCount", \.notificationCount, .integer(0...Int(Int32.max))),
        Field("notificationPriority", \.notificationPriority, .word),
        Field("visibility", \.visibility, .word),
    ]

    /// Members that FCM supports and Campaign's form does not contain.
    private static let rarerFields: [Field<AndroidContent>] = [
        Field("proxy", \.proxy, .word),
        Field("titleLocKey", \.titleLocKey, .text()),
        Field("titleLocArgs", \.titleLocArgs, .texts()),
        Field("bodyLocKey", \.bodyLocKey, .text()),
        Field("bodyLocArgs", \.bodyLocArgs, .texts()),
        Field("localOnly", \.localOnly, .boolean),
        Field("defaultSound", \.defaultSound, .boolean),
        Field("defaultVibrateTimings", \.defaultVibrateTimings, .boolean),
        Field("defaultLightSettings", \.defaultLightSettings, .boolean),
        Field("eventTime", \.eventTime, .time),
        Field("vibrateTimings", \.vibrateTimings, .texts(.seconds), "seconds, such as 0.5s"),
        Field("lightSettings", \.lightSettings, .object(lightFields)),
    ]

    private static let lightFields = Fields(
        LightSettings(color: "", onDuration: "", offDuration: ""),
        [
            Field("color", \.color, .text(.anyColor), isRequired: true, "#rrggbb or #rrggbbaa"),
            Field("onDuration", \.onDuration, .text(.seconds), isRequired: true),
            Field("offDuration", \.offDuration, .text(.seconds), isRequired: true),
        ], named: "LightSettings")
}

extension TextLimits {
    fileprivate static let color = Self.rule("a colour: # and six hex digits") {
        isColor($0, digits: [6])
    }
    fileprivate static let anyColor = Self.rule(
        "a colour: # and six or eight hex digits"
    ) { isColor($0, digits: [6, 8]) }
    fileprivate static let analyticsLabel = Self.rule(
        "a label: 1 to 50 of the letters A to Z and a to z, digits and -_.~%",
        isAnalyticsLabel)
    fileprivate static let packageName = Self.rule(
        "the name of an app, such as com.example.app", isPackageName)
    fileprivate static let seconds = Self.rule(
        "a duration in seconds, such as 0.5s", isDuration)

    private static func isColor(_ text: String, digits: [Int]) -> Bool {
        text.utf8.first == UInt8(ascii: "#") && digits.contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Firebase: `^[a-zA-Z0-9-_.~%]{1,50}$`.
    private static func isAnalyticsLabel(_ text: String) -> Bool {
        (1...50).contains(text.utf8.count) && isMade(text.utf8, ofLettersDigitsAnd: "-_.~%")
    }

    /// Package names consist of identifiers separated by dots. An identifier consists of letters, digits and
    /// underscores.
    private static func isPackageName(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && isMade($0, ofLettersDigitsAnd: "_") }
    }

    private static func isMade(_ text: some Sequence<UInt8>, ofLettersDigitsAnd others: String) -> Bool {
        text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.utf8.contains(byte)
            }
        }
    }

    /// Durations have the JSON notation of protocol buffers: seconds with up to nine decimals, followed by
    /// `s`.
    private static func isDuration(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "s") else { return false }
        let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && (1...6).contains(parts[0].count)
            && (parts.count == 1 || (1...9).contains(parts[1].count))
            && parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    }
}
