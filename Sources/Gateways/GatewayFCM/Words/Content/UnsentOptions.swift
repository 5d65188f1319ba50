package import PushModel

/// Options of a content that an Android app's gateway does not support. A template omits them, and the client
/// that submits the content is notified.
package enum UnsentOptions {
    /// - Returns: The paths of the options below `content`: the options that the type of message does not
    ///   support, and the options that the interface does not support. No option is in both lists.
    package static func names(
        of content: Content, over interface: AndroidEnvelope.Interface
    ) -> (byType: [String], byInterface: [String]) {
        let isNotification = content.android.type == .notification
        var (byType, byInterface): ([String], [String]) = ([], [])
        for option in content.android.placedOptions {
            if option.isShown, !isNotification {
                byType.append("android.\(option.key)")
            } else if option.isV1Only, interface == .legacy {
                byInterface.append("android.\(option.key)")
            }
        }
        return (byType, byInterface)
    }
}

extension AndroidContent {
    fileprivate struct PlacedOption {
        var key: String
        /// Whether the option belongs to a notification.
        var isShown: Bool
        /// Whether only HTTP v1 supports the option.
        var isV1Only: Bool
    }

    /// The options that are set and that some messages do not support.
    fileprivate var placedOptions: [PlacedOption] {
        let forAnyMessage: [(String, Bool)] = [
            ("directBootOk", directBootOK), ("bandwidthConstrainedOk", bandwidthConstrainedOK),
            ("restrictedSatelliteOk", restrictedSatelliteOK), ("analyticsLabel", analyticsLabel != nil),
        ]
        let forBothInterfaces: [(String, Bool)] = [
            ("channelId", channelID != nil), ("sound", sound != nil), ("color", color != nil),
            ("icon", icon != nil), ("tag", tag != nil), ("clickAction", clickAction != nil),
            ("titleLocKey", titleLocKey != nil), ("bodyLocKey", bodyLocKey != nil),
        ]
        let forV1: [(String, Bool)] = [
            ("image", image != nil), ("ticker", ticker != nil), ("sticky", sticky),
            ("visibility", visibility != nil), ("proxy", proxy != nil),
            ("notificationPriority", notificationPriority != nil),
            ("notificationCount", notificationCount != nil), ("localOnly", localOnly),
            ("eventTime", eventTime != nil), ("defaultSound", defaultSound),
            ("defaultVibrateTimings", defaultVibrateTimings), ("defaultLightSettings", defaultLightSettings),
            ("vibrateTimings", !vibrateTimings.isEmpty), ("lightSettings", lightSettings != nil),
        ]
        func placed(_ options: [(String, Bool)], isShown: Bool, isV1Only: Bool) -> [PlacedOption] {
            options.filter(\.1).map { PlacedOption(key: $0.0, isShown: isShown, isV1Only: isV1Only) }
        }
        return placed(forAnyMessage, isShown: false, isV1Only: true)
            + placed(forBothInterfaces, isShown: true, isV1Only: false)
            + placed(forV1, isShown: true, isV1Only: true)
    }
}
