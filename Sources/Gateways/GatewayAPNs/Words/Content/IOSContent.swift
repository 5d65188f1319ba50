package import PushModel

extension Content {
    package var ios: IOSContent {
        get { self[IOSContent.self] }
        set { self[IOSContent.self] = newValue }
    }
}

/// The `content.ios` object: what only Apple's devices know. Keys are the document's; Apple's stand behind
/// them.
package struct IOSContent: ContentSection {
    package static let name = "ios"
    package static let fixedPaths: Set = ["collapseId"]

    package enum Kind: String, Sendable, CaseIterable {
        /// Shown to the user: push type `alert`, priority 10.
        case alert
        /// Wakes the app and shows nothing: push type `background`, priority 5, `content-available` 1. Title
        /// and body of the delivery are then for Android only.
        case silent
        /// Rings through PushKit: push type and topic suffix `voip`, up to 5 120 bytes.
        case voip
        /// New data for a complication of watchOS: topic suffix `complication`.
        case complication
        /// Something changed at a file provider, which `custom` or variables name: topic suffix
        /// `pushkit.fileprovider`.
        case fileprovider
        /// Asks the app's extension where the device is: topic suffix `location-query`; of apps with a token
        /// key only.
        case location
        /// A walkie-talkie's session: topic suffix `voip-ptt`.
        case pushtotalk
        /// The app's controls are asked for their state: topic suffix `push-type.controls`,
        /// `content-changed`.
        case controls
        /// The app's widgets are asked for new data: topic suffix `push-type.widgets`, `content-changed`.
        case widgets
    }

    package enum Sound: Equatable, Sendable {
        case named(String)
        /// Played even when the device is muted; needs an entitlement of the app. Volume in percent, 0 to
        /// 100: Apple's `volume` is a hundredth of it.
        case critical(name: String, volume: Int)
    }

    package enum InterruptionLevel: String, Sendable, CaseIterable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    package var type: Kind = .alert
    /// `aps.alert.subtitle`
    package var subtitle: String?
    /// Texts out of the app's own string resources, with what is put into them: `aps.alert.title-loc-key` and
    /// `title-loc-args`, `subtitle-loc-key` and `subtitle-loc-args`, `loc-key` and `loc-args`.
    package var titleLocKey: String?
    package var titleLocArgs: [String] = []
    package var subtitleLocKey: String?
    package var subtitleLocArgs: [String] = []
    package var bodyLocKey: String?
    package var bodyLocArgs: [String] = []
    /// `aps.alert.action-loc-key`: the text of the action button, of old systems.
    package var actionLocKey: String?
    /// `aps.badge`: 0 clears it, nil leaves it as it is.
    package var badge: Int?
    /// `aps.sound`
    package var sound: Sound?
    /// `aps.category`
    package var category: String?
    /// `aps.mutable-content`
    package var mutableContent = false
    /// `aps.content-available`; always sent where ``type`` is silent.
    package var contentAvailable = false
    /// `aps.thread-id`
    package var threadID: String?
    /// `aps.target-content-id`
    package var targetContentID: String?
    /// `aps.interruption-level`; nil leaves Apple's default, active.
    package var interruptionLevel: InterruptionLevel?
    /// `aps.relevance-score`, 0 to 1 as Apple has it. (Campaign's form asks for a percentage; ours does not.)
    package var relevanceScore: Double?
    /// `aps.alert.launch-image`
    package var launchImage: String?
    /// `apns-collapse-id`: a notification replaces the one before it that has the same. 1 to 64 bytes of
    /// printable ASCII.
    package var collapseID: String?
    /// nil: 5 of a silent push, 10 of all others.
    package var priority: APNsPriority?

    package init() {}

    package var texts: [(path: String, text: String)] {
        let soundText: String? =
            switch sound {
            case .named(let name): name
            case .critical(let name, _): name
            case nil: nil
            }
        let arguments = [
            ("titleLocArgs", titleLocArgs), ("subtitleLocArgs", subtitleLocArgs),
            ("bodyLocArgs", bodyLocArgs),
        ].flatMap { key, texts in texts.enumerated().map { ("\(key)[\($0.offset)]", $0.element) } }
        return [
            ("subtitle", subtitle), ("titleLocKey", titleLocKey), ("subtitleLocKey", subtitleLocKey),
            ("bodyLocKey", bodyLocKey), ("actionLocKey", actionLocKey), ("sound", soundText),
            ("category", category), ("threadId", threadID), ("targetContentId", targetContentID),
            ("launchImage", launchImage), ("collapseId", collapseID),
        ].compactMap { path, text in text.map { (path, $0) } } + arguments
    }
}
