import PushModel

/// The keys of `content.ios`. See ``PushModel/IOSContent`` for what they mean.
extension DocumentReader {
    private static var iosKeys: [String] {
        [
            "type", "subtitle", "badge", "sound", "category", "mutableContent", "contentAvailable",
            "threadId",
            "targetContentId", "interruptionLevel", "relevanceScore", "launchImage",
        ]
    }

    mutating func iosContent(of root: Object) -> IOSContent {
        var ios = IOSContent()
        guard let object = object("ios", of: root, keys: Self.iosKeys) else { return ios }
        ios.type = choice("type", of: object, as: IOSContent.Kind.self) ?? .alert
        ios.subtitle = string("subtitle", of: object)
        ios.badge = integer("badge", of: object, in: 0...Int64(Int32.max)).map(Int.init)
        ios.sound = iosSound(of: object)
        ios.category = string("category", of: object)
        ios.mutableContent = boolean("mutableContent", of: object) ?? false
        ios.contentAvailable = boolean("contentAvailable", of: object) ?? false
        ios.threadID = string("threadId", of: object)
        ios.targetContentID = string("targetContentId", of: object)
        ios.interruptionLevel = choice("interruptionLevel", of: object, as: IOSContent.InterruptionLevel.self)
        ios.relevanceScore = fraction("relevanceScore", of: object)
        ios.launchImage = string("launchImage", of: object)
        if ios.type == .silent { refuseVisibleKeys(of: object) }
        return ios
    }

    /// Apple: a background notification has no alert, badge or sound. What would be dropped is refused
    /// instead.
    private mutating func refuseVisibleKeys(of object: Object) {
        let silentKeys = ["type", "contentAvailable"]
        for key in object.keys where Self.iosKeys.contains(key) && !silentKeys.contains(key) {
            note(object.path(of: key), "a silent push shows nothing; remove it, or set ios.type to \"alert\"")
        }
        if object.value("contentAvailable") == .boolean(false) {
            note(object.path(of: "contentAvailable"), "a silent push is always content-available; remove it")
        }
    }

    private mutating func iosSound(of object: Object) -> IOSContent.Sound? {
        guard let value = object.value("sound") else { return nil }
        let path = object.path(of: "sound")
        switch value {
        case .string:
            return string(value, at: path, .bytes(256)).map(IOSContent.Sound.named)
        case .object:
            guard let sound = self.object(value, at: path, keys: ["name", "volume"]) else { return nil }
            require("name", in: sound)
            let name = string("name", of: sound, .bytes(256))
            let volume = integer("volume", of: sound, in: 0...100)
            return name.map { .critical(name: $0, volume: Int(volume ?? 100)) }
        default:
            note(
                path,
                "found \(value.kind); allowed is a string, or {\"name\", \"volume\"} for a critical alert")
            return nil
        }
    }
}

extension DocumentWriter {
    mutating func members(of ios: IOSContent) {
        if ios.type != .alert { string("type", ios.type.rawValue) }
        string("subtitle", ios.subtitle)
        integer("badge", ios.badge)
        switch ios.sound {
        case nil: break
        case .named(let name): string("sound", name)
        case .critical(let name, let volume):
            object("sound") { object in
                object.string("name", name)
                object.integer("volume", volume)
            }
        }
        string("category", ios.category)
        flag("mutableContent", ios.mutableContent)
        flag("contentAvailable", ios.contentAvailable)
        string("threadId", ios.threadID)
        string("targetContentId", ios.targetContentID)
        string("interruptionLevel", ios.interruptionLevel?.rawValue)
        number("relevanceScore", ios.relevanceScore)
        string("launchImage", ios.launchImage)
    }
}
