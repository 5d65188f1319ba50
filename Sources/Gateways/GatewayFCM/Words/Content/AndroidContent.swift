package import PushModel

extension Content {
    package var android: AndroidContent {
        get { self[AndroidContent.self] }
        set { self[AndroidContent.self] = newValue }
    }
}

/// The `content.android` object: what only Android devices know. Keys are the document's; FCM's stand behind
/// them.
///
/// What is shown by the system, from ``channelID`` on, says nothing in a data message: there the app decides.
package struct AndroidContent: ContentSection {
    package static let name = "android"
    package static let fixedPaths: Set = ["collapseKey", "restrictedPackageName", "analyticsLabel"]

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

    /// How prominently a notification message is shown. (Campaign's form has all but the last.)
    package enum NotificationPriority: String, Sendable, CaseIterable {
        case `default`, minimum, low, high, maximum
    }

    /// Whether another device, such as a watch, may show a notification in this one's place.
    package enum Proxy: String, Sendable, CaseIterable {
        case allow, deny
        /// Only where this device lowered its priority.
        case ifPriorityLowered
    }

    /// What a locked screen shows.
    package enum Visibility: String, Sendable, CaseIterable {
        case `public`, `private`, secret
    }

    package var type: Kind = .data
    /// `android.priority`
    package var priority: Priority = .high
    /// `android.collapse_key`: of messages with the same key only the last waits for a device that is away.
    /// FCM keeps four keys a device.
    package var collapseKey: String?
    /// `android.restricted_package_name`: only an app of this name gets it.
    package var restrictedPackageName: String?
    /// `validate_only`: the gateway checks and answers, and no device gets anything.
    package var validateOnly = false
    /// `android.direct_boot_ok`: the app gets it also before the device was unlocked for the first time.
    package var directBootOK = false
    /// `android.bandwidth_constrained_ok` and `restricted_satellite_ok`: it may be sent over such networks.
    package var bandwidthConstrainedOK = false
    package var restrictedSatelliteOK = false
    /// `android.fcm_options.analytics_label`: what Firebase's reports count it under.
    package var analyticsLabel: String?

    /// `android.notification.channel_id`
    package var channelID: String?
    package var sound: String?
    /// `#rrggbb`
    package var color: String?
    package var icon: String?
    /// `notification.image`, a URL.
    package var image: String?
    /// Of notifications with the same tag only the last is shown.
    package var tag: String?
    package var clickAction: String?
    package var ticker: String?
    package var sticky = false
    package var notificationCount: Int?
    package var notificationPriority: NotificationPriority?
    package var visibility: Visibility?
    package var proxy: Proxy?
    /// Title and body out of the app's own string resources, with what is put into them.
    package var titleLocKey: String?
    package var titleLocArgs: [String] = []
    package var bodyLocKey: String?
    package var bodyLocArgs: [String] = []
    /// Shown on this device alone, not on its watch.
    package var localOnly = false
    package var defaultSound = false
    package var defaultVibrateTimings = false
    package var defaultLightSettings = false
    /// `android.notification.event_time`
    package var eventTime: WallTime?
    /// Pauses and buzzes in turn, as FCM spells durations: `0.25s`.
    package var vibrateTimings: [String] = []
    package var lightSettings: LightSettings?

    /// How the device's light blinks.
    package struct LightSettings: Equatable, Sendable {
        /// `#rrggbb`, or `#rrggbbaa`.
        package var color: String
        /// As FCM spells durations: `0.5s`.
        package var onDuration: String
        package var offDuration: String

        package init(color: String, onDuration: String, offDuration: String) {
            self.color = color
            self.onDuration = onDuration
            self.offDuration = offDuration
        }
    }

    package init() {}

    package var texts: [(path: String, text: String)] {
        let texts: [(path: String, text: String?)] = [
            ("collapseKey", collapseKey), ("restrictedPackageName", restrictedPackageName),
            ("analyticsLabel", analyticsLabel), ("channelId", channelID),
            ("sound", sound), ("color", color), ("icon", icon), ("image", image), ("tag", tag),
            ("clickAction", clickAction), ("ticker", ticker), ("titleLocKey", titleLocKey),
            ("bodyLocKey", bodyLocKey),
        ]
        let arguments =
            titleLocArgs.enumerated().map { ("titleLocArgs[\($0.offset)]", $0.element) }
            + bodyLocArgs.enumerated().map { ("bodyLocArgs[\($0.offset)]", $0.element) }
        return texts.compactMap { path, text in text.map { (path, $0) } } + arguments
    }
}
