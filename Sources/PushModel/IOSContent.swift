/// The `content.ios` object: what only Apple's devices know. Keys are the document's; Apple's stand behind
/// them.
package struct IOSContent: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Shown to the user: push type `alert`, priority 10.
        case alert
        /// Wakes the app and shows nothing: push type `background`, priority 5, `content-available` 1. Title
        /// and body of the delivery are then for Android only.
        case silent
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

    package init() {}

    /// Every text with its key, as ``Content/texts`` wants it.
    package var texts: [(path: String, text: String)] {
        let soundText: String? =
            switch sound {
            case .named(let name): name
            case .critical(let name, _): name
            case nil: nil
            }
        return [
            ("subtitle", subtitle), ("sound", soundText), ("category", category), ("threadId", threadID),
            ("targetContentId", targetContentID), ("launchImage", launchImage),
        ].compactMap { path, text in text.map { (path, $0) } }
    }
}
