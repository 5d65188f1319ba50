import PushModel

/// The keys of `content.android`. See ``PushModel/AndroidContent`` for what they mean.
extension DocumentReader {
    private static var androidKeys: [String] {
        [
            "type", "priority", "channelId", "sound", "color", "icon", "image", "tag", "clickAction", "ticker",
            "sticky",
            "notificationCount", "notificationPriority", "visibility",
        ]
    }

    mutating func androidContent(of root: Object) -> AndroidContent {
        var android = AndroidContent()
        guard let object = object("android", of: root, keys: Self.androidKeys) else { return android }
        android.type = choice("type", of: object, as: AndroidContent.Kind.self) ?? android.type
        android.priority = choice("priority", of: object, as: AndroidContent.Priority.self) ?? android.priority
        android.channelID = string("channelId", of: object)
        android.sound = string("sound", of: object)
        android.color = string("color", of: object)
        if let color = android.color, !Self.isColor(color) {
            note(object.path(of: "color"), "not a colour; allowed is # and six hex digits")
        }
        android.icon = string("icon", of: object)
        android.image = string("image", of: object)
        android.tag = string("tag", of: object)
        android.clickAction = string("clickAction", of: object)
        android.ticker = string("ticker", of: object)
        android.sticky = boolean("sticky", of: object) ?? false
        android.notificationCount = integer("notificationCount", of: object, in: 0...Int64(Int32.max)).map(Int.init)
        android.notificationPriority = choice(
            "notificationPriority", of: object, as: AndroidContent.NotificationPriority.self)
        android.visibility = choice("visibility", of: object, as: AndroidContent.Visibility.self)
        return android
    }

    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }
}

extension DocumentWriter {
    mutating func members(of android: AndroidContent) {
        let unset = AndroidContent()
        if android.type != unset.type { string("type", android.type.rawValue) }
        if android.priority != unset.priority { string("priority", android.priority.rawValue) }
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
    }
}
