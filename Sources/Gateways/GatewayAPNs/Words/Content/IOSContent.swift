package import PushModel

extension Content {
    package var ios: IOSContent {
        get { self[IOSContent.self] }
        set { self[IOSContent.self] = newValue }
    }
}

/// The `content.ios` object: settings that apply to Apple's devices only. The keys are those of the document;
/// Apple's keys are given in the comments.
package struct IOSContent: ContentSection {
    package static let name = "ios"
    package static let fixedPaths: Set = ["collapseId"]

    package enum Kind: String, Sendable, CaseIterable {
        /// Shown to the user: push type `alert`, priority 10.
        case alert
        /// Wakes the app and shows nothing: push type `background`, priority 5, `content-available` 1. The
        /// title and body of the delivery are then used for Android only.
        case silent
        /// An incoming call, through PushKit: push type and topic suffix `voip`, maximum 5 120 bytes.
        case voip
        /// New data for a complication of watchOS: topic suffix `complication`.
        case complication
        /// Reports a change at a file provider. `custom` or variables identify the file provider. Topic
        /// suffix `pushkit.fileprovider`.
        case fileprovider
        /// Requests the location of the device from the app's extension: topic suffix `location-query`; only
        /// for apps with a token key.
        case location
        /// A walkie-talkie session: topic suffix `voip-ptt`.
        case pushtotalk
        /// Requests the state of the app's controls: topic suffix `push-type.controls`, `content-changed`.
        case controls
        /// Requests new data for the app's widgets: topic suffix `push-type.widgets`, `content-changed`.
        case widgets
    }

    package enum Sound: Equatable, Sendable {
        case named(String)
        /// Played even if the device is muted; requires an entitlement of the app. The volume is in percent,
        /// 0 to 100; Apple's `volume` is a hundredth of this value.
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
    /// Texts from the app's own string resources, with their arguments: `aps.alert.title-loc-key` and
    /// `title-loc-args`, `subtitle-loc-key` and `subtitle-loc-args`, `loc-key` and `loc-args`.
    package var titleLocKey: String?
    package var titleLocArgs: [String] = []
    package var subtitleLocKey: String?
    package var subtitleLocArgs: [String] = []
    package var bodyLocKey: String?
    package var bodyLocArgs: [String] = []
    /// `aps.alert.action-loc-key`: the text of the action button on old systems.
    package var actionLocKey: String?
    /// `aps.badge`: 0 clears the badge; `nil` leaves it unchanged.
    package var badge: Int?
    /// `aps.sound`
    package var sound: Sound?
    /// `aps.category`
    package var category: String?
    /// `aps.mutable-content`
    package var mutableContent = false
    /// `aps.content-available`; always sent if ``type`` is silent.
    package var contentAvailable = false
    /// `aps.thread-id`
    package var threadID: String?
    /// `aps.target-content-id`
    package var targetContentID: String?
    /// `aps.interruption-level`; `nil` leaves Apple's default, which is active.
    package var interruptionLevel: InterruptionLevel?
    /// `aps.relevance-score`, 0 to 1 as defined by Apple. (Campaign's form has a percentage instead.)
    package var relevanceScore: Double?
    /// `aps.alert.launch-image`
    package var launchImage: String?
    /// `apns-collapse-id`: a notification replaces the previous notification with the same id. The id has 1
    /// to 64 bytes of printable ASCII.
    package var collapseID: String?
    /// `apns-priority`; `nil` means 5 for a silent push and 10 for all others.
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
