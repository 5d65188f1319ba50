import PushModel

/// The keys of `content.ios`. See ``PushModel/IOSContent`` for what they mean.
extension DocumentReader {
    private static var iosKeys: [String] {
        [
            "type", "subtitle", "badge", "sound", "category", "mutableContent", "contentAvailable",
            "threadId", "targetContentId", "interruptionLevel", "relevanceScore", "launchImage",
            "titleLocKey", "titleLocArgs", "subtitleLocKey", "subtitleLocArgs", "bodyLocKey", "bodyLocArgs",
            "actionLocKey", "collapseId", "priority",
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
        readTextKeys(of: object, into: &ios)
        ios.collapseID = string("collapseId", of: object)
        if let id = ios.collapseID, !APNsHeading.isCollapseID(id) {
            note(
                object.path(of: "collapseId"),
                "allowed are 1 to \(APNsHeading.maximumCollapseIDBytes) printable ASCII characters without a space "
                    + "at either end")
        }
        ios.priority = iosPriority(of: object, for: ios.type)
        if ios.type != .alert { refuseVisibleKeys(of: object, type: ios.type) }
        return ios
    }

    /// Texts out of the app's own resources.
    private mutating func readTextKeys(of object: Object, into ios: inout IOSContent) {
        ios.titleLocKey = string("titleLocKey", of: object)
        ios.titleLocArgs = texts("titleLocArgs", of: object)
        ios.subtitleLocKey = string("subtitleLocKey", of: object)
        ios.subtitleLocArgs = texts("subtitleLocArgs", of: object)
        ios.bodyLocKey = string("bodyLocKey", of: object)
        ios.bodyLocArgs = texts("bodyLocArgs", of: object)
        ios.actionLocKey = string("actionLocKey", of: object)
        refuseArguments(
            of: object,
            without: [
                ("titleLocArgs", "titleLocKey"), ("subtitleLocArgs", "subtitleLocKey"),
                ("bodyLocArgs", "bodyLocKey"),
            ])
    }

    private mutating func iosPriority(
        of object: Object, for type: IOSContent.Kind
    ) -> IOSContent.Priority? {
        guard let value = object.value("priority") else { return nil }
        let found: String
        if case .integer(let number) = value {
            if let priority = type.priorities.first(where: { Int64($0.rawValue) == number }) {
                return priority
            }
            found = "not one of its values"
        } else {
            found = "found \(value.kind)"
        }
        let allowed = type.priorities.map { String($0.rawValue) }.joined(separator: ", ")
        note(object.path(of: "priority"), "\(found); allowed of type \(type.rawValue) is \(allowed)")
        return nil
    }

    /// Apple: only an alert has texts, badge or sound. What would be dropped is refused instead.
    private mutating func refuseVisibleKeys(of object: Object, type: IOSContent.Kind) {
        let ownKeys = ["type", "collapseId", "priority"] + (type == .silent ? ["contentAvailable"] : [])
        for key in object.keys where Self.iosKeys.contains(key) && !ownKeys.contains(key) {
            note(
                object.path(of: key),
                "a \(type.rawValue) push shows nothing; remove it, or set ios.type to \"alert\"")
        }
        if type == .silent, object.value("contentAvailable") == .boolean(false) {
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
        string("titleLocKey", ios.titleLocKey)
        if !ios.titleLocArgs.isEmpty { strings("titleLocArgs", ios.titleLocArgs) }
        string("subtitleLocKey", ios.subtitleLocKey)
        if !ios.subtitleLocArgs.isEmpty { strings("subtitleLocArgs", ios.subtitleLocArgs) }
        string("bodyLocKey", ios.bodyLocKey)
        if !ios.bodyLocArgs.isEmpty { strings("bodyLocArgs", ios.bodyLocArgs) }
        string("actionLocKey", ios.actionLocKey)
        string("collapseId", ios.collapseID)
        integer("priority", ios.priority?.rawValue)
    }
}
