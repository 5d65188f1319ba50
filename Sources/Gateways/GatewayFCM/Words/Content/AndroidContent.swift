package import PushModel

extension Content {
    package var android: AndroidContent {
        get { self[AndroidContent.self] }
        set { self[AndroidContent.self] = newValue }
    }
}

/// The `content.android` object: settings that apply to Android devices only. The keys are those of the
/// document; FCM's keys are given in the comments.
///
/// The settings for notifications that the system shows, from ``channelID`` on, have no effect in a data
/// message, because the app decides how to show it.
package struct AndroidContent: ContentSection {
    package static let name = "android"
    package static let fixedPaths: Set = ["collapseKey", "restrictedPackageName", "analyticsLabel"]

    package enum Kind: String, Sendable, CaseIterable {
        /// The whole message is sent as data, and the app shows it.
        case data
        /// The system shows the message; the app receives ids and variables when the user opens it.
        case notification
        /// The app receives data and shows nothing. The title and body of the delivery are for other devices.
        case silent
    }

    /// The urgency with which the device is woken.
    package enum Priority: String, Sendable, CaseIterable {
        case normal, high
    }

    /// The prominence of a notification message. (Campaign's form has all of these values except the last.)
    package enum NotificationPriority: String, Sendable, CaseIterable {
        case `default`, minimum, low, high, maximum
    }

    /// Whether another device, such as a watch, may show a notification instead of this one.
    package enum Proxy: String, Sendable, CaseIterable {
        case allow, deny
        /// Another device may show the notification only if this device has lowered the notification's
        /// priority.
        case ifPriorityLowered
    }

    /// The information that a locked screen shows.
    package enum Visibility: String, Sendable, CaseIterable {
        case `public`, `private`, secret
    }

    package var type: Kind = .data
    /// `android.priority`
    package var priority: Priority = .high
    /// `android.collapse_key`: if several messages with the same key wait for a device that is offline, FCM
    /// keeps only the last. FCM keeps four keys per device.
    package var collapseKey: String?
    /// `android.restricted_package_name`: only an app with this name receives the message.
    package var restrictedPackageName: String?
    /// `validate_only`: the gateway checks the message and answers, but does not deliver it to a device.
    package var validateOnly = false
    /// `android.direct_boot_ok`: the app receives the message even before the device has been unlocked for
    /// the first time.
    package var directBootOK = false
    /// `android.bandwidth_constrained_ok` and `restricted_satellite_ok`: the message may be sent over
    /// networks with little bandwidth, and over restricted satellite networks.
    package var bandwidthConstrainedOK = false
    package var restrictedSatelliteOK = false
    /// `android.fcm_options.analytics_label`: the label under which Firebase's reports count the message.
    package var analyticsLabel: String?

    /// `android.notification.channel_id`
    package var channelID: String?
    package var sound: String?
    /// `#rrggbb`
    package var color: String?
    package var icon: String?
    /// `notification.image`, a URL.
    package var image: String?
    /// `android.notification.tag`: a notification replaces the previous notification with the same tag.
    package var tag: String?
    package var clickAction: String?
    package var ticker: String?
    package var sticky = false
    package var notificationCount: Int?
    package var notificationPriority: NotificationPriority?
    package var visibility: Visibility?
    package var proxy: Proxy?
    /// The title and body from the app's own string resources, with their arguments.
    package var titleLocKey: String?
    package var titleLocArgs: [String] = []
    package var bodyLocKey: String?
    package var bodyLocArgs: [String] = []
    /// Shown on this device only, not on its watch.
    package var localOnly = false
    package var defaultSound = false
    package var defaultVibrateTimings = false
    package var defaultLightSettings = false
    /// `android.notification.event_time`
    package var eventTime: WallTime?
    /// Alternating pauses and vibrations, as durations in FCM's notation: `0.25s`.
    package var vibrateTimings: [String] = []
    package var lightSettings: LightSettings?

    /// The way in which the device's light blinks.
    package struct LightSettings: Equatable, Sendable {
        /// `#rrggbb`, or `#rrggbbaa`.
        package var color: String
        /// A duration in FCM's notation: `0.5s`.
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
