/// The `content.android` object: what only Android devices know. Accepted and kept from the first version on, so that
/// one document can serve both platforms.
package struct AndroidContent: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Everything travels as data and the app shows it.
        case data
        /// The system shows it; the app gets ids and variables when it is opened.
        case notification
    }

    /// How urgently the device is woken.
    package enum Priority: String, Sendable, CaseIterable {
        case normal, high
    }

    /// How prominently a notification message is shown.
    package enum NotificationPriority: String, Sendable, CaseIterable {
        case `default`, minimum, low, high
    }

    /// What a locked screen shows.
    package enum Visibility: String, Sendable, CaseIterable {
        case `public`, `private`, secret
    }

    package var type: Kind = .data
    package var priority: Priority = .high
    package var channelID: String?
    package var sound: String?
    /// `#rrggbb`
    package var color: String?
    package var icon: String?
    package var image: String?
    package var tag: String?
    package var clickAction: String?
    package var ticker: String?
    package var sticky = false
    package var notificationCount: Int?
    package var notificationPriority: NotificationPriority?
    package var visibility: Visibility?

    package init() {}

    /// Every text with its key, as ``Content/texts`` wants it.
    package var texts: [(path: String, text: String)] {
        [
            ("channelId", channelID), ("sound", sound), ("color", color), ("icon", icon), ("image", image),
            ("tag", tag),
            ("clickAction", clickAction), ("ticker", ticker),
        ].compactMap { path, text in text.map { (path, $0) } }
    }
}
