internal import GatewayKit
internal import PushModel

extension ContentRules {
    /// FCM's rules for contents. They apply to both FCM interfaces.
    static let fcm = {
        var rules = ContentRules()
        rules.section = AndroidContent.name
        rules.hidesTexts = { content in
            content.android.type == .silent
                ? """
                a silent message is not shown, and no app of the delivery shows texts on other devices; \
                remove it, or set android.type to "data" or "notification"
                """
                : nil
        }
        // The template refuses a notification without a text.
        rules.lackOfText = { content, app in
            let hasText = content.versions.allSatisfy { version in
                version.android.type != .data
                    || AndroidMessage.hasText(version, titled: app.hasValue(of: "title", in: version))
            }
            return hasText
                ? nil
                : """
                content: a data message needs a title or a body, because the devices of app \(app.name) \
                would show nothing; for a message that only the app reads, set android.type to "silent"
                """
        }
        rules.unsent = { content, app in
            let unsent = UnsentOptions.names(
                of: content, over: AndroidEnvelope.Interface(identity: app.credentialIdentity))
            var lines: [String] = []
            if !unsent.byType.isEmpty {
                lines.append(
                    "a data message does not support \(list(unsent.byType)): not sent, because the app "
                        + "decides how to show the message")
            }
            if !unsent.byInterface.isEmpty {
                lines.append("FCM's legacy interface does not support \(list(unsent.byInterface)): not sent")
            }
            return lines
        }
        rules.sound = { $0.android.type == .notification ? $0.android.sound : nil }
        rules.replacement = { names(of: $0) }
        rules.validatesOnly = { $0.android.validateOnly }
        rules.validating = { $0.android.validateOnly = true }
        return rules
    }()

    private static func list(_ options: [String]) -> String {
        options.map { "content.\($0)" }.joined(separator: ", ")
    }

    /// A notification that the system shows replaces the earlier notification with the same `tag`. A
    /// `collapse_key` without a `tag` replaces only messages that wait at FCM because their devices are
    /// offline.
    private static func names(of content: Content) -> ReplacementNames {
        let tag = content.android.type == .notification ? content.common { $0.android.tag } : nil
        let collapseKey = content.common { $0.android.collapseKey }
        var names = ReplacementNames(keys: ["android.tag", "android.collapseKey"])
        names.members = [("type", content.android.type.rawValue)]
        if let tag { names.members.append(("tag", tag)) }
        if let collapseKey { names.members.append(("collapseKey", collapseKey)) }
        if tag == nil, collapseKey == nil {
            names.lack = "the content had neither android.tag of a notification nor android.collapseKey"
        } else if tag == nil {
            names.warning =
                "android.collapseKey replaces only messages that wait for offline devices; a device that "
                + "already shows the first message also shows the second, unless the app replaces the first"
        }
        return names
    }
}
