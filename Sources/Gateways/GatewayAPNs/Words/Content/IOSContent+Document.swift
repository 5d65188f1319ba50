internal import PushModel
package import PushWire

extension ContentDocument {
    /// The sections of a content that a connector to APNs reads.
    package static let apns = ContentDocument(only: .ios)
}

extension ContentSectionDeclaration {
    /// `content.ios`
    package static let ios = ContentSectionDeclaration(
        \.ios, IOSContent.fields, "settings for iOS only", platform: .ios, isAlwaysMeant: true,
        sameInAllLanguages: "type, priority and collapseId are"
    ) {
        $0.type == $1.type && $0.priorityThatHolds == $1.priorityThatHolds && $0.collapseID == $1.collapseID
    }
}

/// The members of `content.ios`. See ``IOSContent`` for their meaning.
extension IOSContent {
    fileprivate static let fields = Fields(IOSContent(), all, named: "IOSContent") { reader, object, ios in
        reader.refuseArguments(of: object, without: ["titleLoc", "subtitleLoc", "bodyLoc"])
        reader.checkPriority(of: ios, object)
        if ios.type != .alert { reader.refuseVisibleKeys(of: object, type: ios.type) }
    }

    private static let all: [Field<IOSContent>] = [
        Field("type", \.type, .word, "default: alert, which is shown"),
        Field("subtitle", \.subtitle, .text()),
        Field(
            "badge", \.badge, .integer(0...Int(Int32.max)),
            "the number on the app's icon; 0 removes it; default: unchanged"),
        Field(
            "sound", \.sound, soundForm,
            "default or a sound file of the app; an object for a critical alert"),
        Field("category", \.category, .text()),
        Field("mutableContent", \.mutableContent, .boolean),
        Field("contentAvailable", \.contentAvailable, .boolean),
        Field("threadId", \.threadID, .text()),
        Field("targetContentId", \.targetContentID, .text()),
        Field("interruptionLevel", \.interruptionLevel, .word, "how urgently the notification is shown"),
        Field("relevanceScore", \.relevanceScore, .fraction, "0 to 1"),
        Field("launchImage", \.launchImage, .text()),
        // Texts from the app's own resources.
        Field("titleLocKey", \.titleLocKey, .text()),
        Field("titleLocArgs", \.titleLocArgs, .texts()),
        Field("subtitleLocKey", \.subtitleLocKey, .text()),
        Field("subtitleLocArgs", \.subtitleLocArgs, .texts()),
        Field("bodyLocKey", \.bodyLocKey, .text()),
        Field("bodyLocArgs", \.bodyLocArgs, .texts()),
        Field("actionLocKey", \.actionLocKey, .text()),
        Field(
            "collapseId", \.collapseID,
            .text(collapseIDRule, schema: .text(most: maximumCollapseIDBytes)),
            "replaces an earlier notification with the same id"),
        Field(
            "priority", \.priority, priorityForm,
            "10: immediately; 5: when power allows, as for a silent push; 1: without waking the device"),
    ]

    /// The maximum size of an `apns-collapse-id`, in bytes.
    package static let maximumCollapseIDBytes = 64

    /// Reports whether a text can be an `apns-collapse-id`, that is, a header field value that is not changed
    /// by trimming.
    package static func isCollapseID(_ text: String) -> Bool {
        (1...maximumCollapseIDBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    private static let collapseIDRule = TextLimits.rule(
        "1 to \(maximumCollapseIDBytes) printable ASCII characters without a space at "
            + "either end", isCollapseID)

    private static let soundForm = Form.either(
        Form.text(.bytes(256)).map(Sound.named), or: criticalSound,
        allowed: "a string, or {\"name\", \"volume\"} for a critical alert",
        value: { .critical(name: $0.name, volume: $0.volume ?? 100) },
        write: { writer, key, sound in
            switch sound {
            case .named(let name): writer.string(key, name)
            case .critical(let name, let volume):
                writer.object(key) { criticalSound.write(CriticalSound(name: name, volume: volume), by: &$0) }
            }
        })

    private struct CriticalSound {
        var name = ""
        /// The volume in percent; `nil` means full volume.
        var volume: Int?
    }

    private static let criticalSound = Fields(
        CriticalSound(),
        [
            Field("name", \.name, .text(.bytes(256)), isRequired: true),
            Field("volume", \.volume, .integer(0...100), "in percent; default: 100"),
        ], named: "CriticalSound")

    private static let priorityForm = Form<APNsPriority>(.integers(1...10)) { _, value, _ in
        if case .integer(let number) = value { APNsPriority(rawValue: Int(number)) } else { nil }
    } write: {
        $0.integer($1, $2.rawValue)
    }
}

extension DocumentReader {
    fileprivate mutating func checkPriority(of ios: IOSContent, _ object: Object) {
        let allowed = ios.type.priorities
        guard let value = object.value("priority"), ios.priority.map(allowed.contains) != true else { return }
        let words = allowed.map { String($0.rawValue) }.joined(separator: ", ")
        let isOtherKind = if case .integer = value { false } else { true }
        let _: APNsPriority? = refuse(
            value, at: object.path(of: "priority"), allowed: "one of \(words) for type \(ios.type.rawValue)",
            isOtherKind: isOtherKind)
    }

    /// Apple: only an alert has texts, a badge or a sound. Values that Apple would drop are refused instead.
    fileprivate mutating func refuseVisibleKeys(of object: Object, type: IOSContent.Kind) {
        let ownKeys = ["type", "collapseId", "priority"] + (type == .silent ? ["contentAvailable"] : [])
        for key in object.keys where IOSContent.fields.names.contains(key) && !ownKeys.contains(key) {
            note(
                object.path(of: key),
                "a \(type.rawValue) push is not shown; remove it, or set ios.type to \"alert\"")
        }
        if type == .silent, object.value("contentAvailable") == .boolean(false) {
            note(object.path(of: "contentAvailable"), "a silent push is always content-available; remove it")
        }
    }
}
