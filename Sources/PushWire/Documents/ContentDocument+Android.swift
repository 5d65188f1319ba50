import PushModel

/// The keys of `content.android`. See ``PushModel/AndroidContent`` for what they mean.
extension DocumentReader {
    private static var androidKeys: [String] {
        [
            "type", "priority", "collapseKey", "restrictedPackageName", "validateOnly", "directBootOk",
            "bandwidthConstrainedOk", "restrictedSatelliteOk", "analyticsLabel", "channelId", "sound",
            "color", "icon", "image", "tag", "clickAction", "ticker", "sticky", "notificationCount",
            "notificationPriority", "visibility", "proxy", "titleLocKey", "titleLocArgs", "bodyLocKey",
            "bodyLocArgs", "localOnly",
            "defaultSound", "defaultVibrateTimings", "defaultLightSettings", "eventTime", "vibrateTimings",
            "lightSettings",
        ]
    }

    mutating func androidContent(of root: Object) -> AndroidContent {
        var android = AndroidContent()
        guard let object = object("android", of: root, keys: Self.androidKeys) else { return android }
        android.type = choice("type", of: object, as: AndroidContent.Kind.self) ?? android.type
        android.priority =
            choice("priority", of: object, as: AndroidContent.Priority.self) ?? android.priority
        android.collapseKey = string("collapseKey", of: object, .bytes(256))
        android.restrictedPackageName = string("restrictedPackageName", of: object, .bytes(256))
        if let name = android.restrictedPackageName, !Self.isPackageName(name) {
            note(
                object.path(of: "restrictedPackageName"),
                "not an app's name; allowed is one such as com.example.app")
        }
        android.validateOnly = boolean("validateOnly", of: object) ?? false
        readNetworkKeys(of: object, into: &android)
        android.channelID = string("channelId", of: object)
        android.sound = string("sound", of: object)
        android.color = string("color", of: object)
        if let color = android.color, !Self.isColor(color, digits: [6]) {
            note(object.path(of: "color"), "not a colour; allowed is # and six hex digits")
        }
        android.icon = string("icon", of: object)
        android.image = string("image", of: object)
        android.tag = string("tag", of: object)
        android.clickAction = string("clickAction", of: object)
        android.ticker = string("ticker", of: object)
        android.sticky = boolean("sticky", of: object) ?? false
        android.notificationCount = integer("notificationCount", of: object, in: 0...Int64(Int32.max)).map(
            Int.init)
        android.notificationPriority = choice(
            "notificationPriority", of: object, as: AndroidContent.NotificationPriority.self)
        android.visibility = choice("visibility", of: object, as: AndroidContent.Visibility.self)
        readRarerKeys(of: object, into: &android)
        return android
    }

    /// What is neither shown nor read by the app.
    private mutating func readNetworkKeys(of object: Object, into android: inout AndroidContent) {
        android.directBootOK = boolean("directBootOk", of: object) ?? false
        android.bandwidthConstrainedOK = boolean("bandwidthConstrainedOk", of: object) ?? false
        android.restrictedSatelliteOK = boolean("restrictedSatelliteOk", of: object) ?? false
        android.analyticsLabel = string("analyticsLabel", of: object)
        if let label = android.analyticsLabel, !Self.isAnalyticsLabel(label) {
            note(
                object.path(of: "analyticsLabel"),
                "not a label; allowed are 1 to 50 of the letters A to Z and a to z, digits and -_.~%")
        }
    }

    /// What FCM has and Campaign's form has not.
    private mutating func readRarerKeys(of object: Object, into android: inout AndroidContent) {
        android.titleLocKey = string("titleLocKey", of: object)
        android.titleLocArgs = texts("titleLocArgs", of: object)
        android.bodyLocKey = string("bodyLocKey", of: object)
        android.bodyLocArgs = texts("bodyLocArgs", of: object)
        refuseArguments(
            of: object, without: [("titleLocArgs", "titleLocKey"), ("bodyLocArgs", "bodyLocKey")])
        android.proxy = choice("proxy", of: object, as: AndroidContent.Proxy.self)
        android.localOnly = boolean("localOnly", of: object) ?? false
        android.defaultSound = boolean("defaultSound", of: object) ?? false
        android.defaultVibrateTimings = boolean("defaultVibrateTimings", of: object) ?? false
        android.defaultLightSettings = boolean("defaultLightSettings", of: object) ?? false
        if let text = string("eventTime", of: object) {
            android.eventTime = WallTime(utc: text)
            if android.eventTime == nil {
                note(object.path(of: "eventTime"), "not a time in UTC; allowed is 2026-11-21T10:00:00Z")
            }
        }
        android.vibrateTimings = texts("vibrateTimings", of: object)
        for (index, text) in android.vibrateTimings.enumerated() where !Self.isDuration(text) {
            note("\(object.path(of: "vibrateTimings"))[\(index)]", Self.notADuration)
        }
        android.lightSettings = lightSettings(of: object)
    }

    private mutating func lightSettings(of android: Object) -> AndroidContent.LightSettings? {
        guard let object = object("lightSettings", of: android, keys: ["color", "onDuration", "offDuration"])
        else {
            return nil
        }
        for key in ["color", "onDuration", "offDuration"] { require(key, in: object) }
        let color = string("color", of: object)
        if let color, !Self.isColor(color, digits: [6, 8]) {
            note(object.path(of: "color"), "not a colour; allowed is # and six or eight hex digits")
        }
        let durations = ["onDuration", "offDuration"].map { key in
            let text = string(key, of: object)
            if let text, !Self.isDuration(text) { note(object.path(of: key), Self.notADuration) }
            return text
        }
        guard let color, let on = durations[0], let off = durations[1] else { return nil }
        return AndroidContent.LightSettings(color: color, onDuration: on, offDuration: off)
    }

    private static func isColor(_ text: String, digits: [Int]) -> Bool {
        text.utf8.first == UInt8(ascii: "#") && digits.contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Firebase: `^[a-zA-Z0-9-_.~%]{1,50}$`.
    private static func isAnalyticsLabel(_ text: String) -> Bool {
        (1...50).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.~%".utf8.contains(byte)
                }
            }
    }

    /// Words of letters, digits and underscores with dots between them.
    private static func isPackageName(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }

    /// Protocol buffers' spelling in JSON: seconds, up to nine decimals, `s`.
    private static func isDuration(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "s") else { return false }
        let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && (1...6).contains(parts[0].count)
            && (parts.count == 1 || (1...9).contains(parts[1].count))
            && parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    }

    private static var notADuration: String { "not a duration; allowed are seconds as in \"0.5s\"" }
}

extension DocumentWriter {
    mutating func members(of android: AndroidContent) {
        let unset = AndroidContent()
        if android.type != unset.type { string("type", android.type.rawValue) }
        if android.priority != unset.priority { string("priority", android.priority.rawValue) }
        string("collapseKey", android.collapseKey)
        string("restrictedPackageName", android.restrictedPackageName)
        flag("validateOnly", android.validateOnly)
        flag("directBootOk", android.directBootOK)
        flag("bandwidthConstrainedOk", android.bandwidthConstrainedOK)
        flag("restrictedSatelliteOk", android.restrictedSatelliteOK)
        string("analyticsLabel", android.analyticsLabel)
        string("channelId", android.channelID)
        string("sound", android.sound)
        string("color", android.color)
        string("icon", android.icon)
        string("image", android.image)
        string("tag", android.tag)
        string("clickAction", android.clickAction)
        string("ticker", android.ticker)
        flag("sticky", android.sticky)
        integer("notificationCount", android.notificationCount)
        string("notificationPriority", android.notificationPriority?.rawValue)
        string("visibility", android.visibility?.rawValue)
        string("proxy", android.proxy?.rawValue)
        string("titleLocKey", android.titleLocKey)
        if !android.titleLocArgs.isEmpty { strings("titleLocArgs", android.titleLocArgs) }
        string("bodyLocKey", android.bodyLocKey)
        if !android.bodyLocArgs.isEmpty { strings("bodyLocArgs", android.bodyLocArgs) }
        flag("localOnly", android.localOnly)
        flag("defaultSound", android.defaultSound)
        flag("defaultVibrateTimings", android.defaultVibrateTimings)
        flag("defaultLightSettings", android.defaultLightSettings)
        string("eventTime", android.eventTime?.utcText)
        if !android.vibrateTimings.isEmpty { strings("vibrateTimings", android.vibrateTimings) }
        if let light = android.lightSettings {
            object("lightSettings") { object in
                object.string("color", light.color)
                object.string("onDuration", light.onDuration)
                object.string("offDuration", light.offDuration)
            }
        }
    }
}
