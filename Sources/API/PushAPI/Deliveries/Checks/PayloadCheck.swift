internal import PushConnectors
internal import PushModel
internal import PushPayload

/// Whether a gateway would take a content: with the widest values that any message can have.
enum PayloadCheck {
    static func check(_ content: Content, tracking: Bool, for app: App) throws(PayloadError) {
        _ = try template(of: content, tracking: tracking, for: app)
    }

    /// The payload as any message of the app can have it, with the widest id of a delivery.
    static func template(
        of content: Content, tracking: Bool, for app: App
    ) throws(PayloadError) -> PayloadTemplate {
        try ConnectorCatalogue.template(
            of: content, for: app.settings, delivery: widestID, tracking: tracking)
    }

    static let widestID = DeliveryID(rawValue: Int64(Int32.max))

    /// Each app is sent those that it declares; one that none declares is a slip of the pen. An app that
    /// declares none takes any.
    /// - Returns: variables of the content that no app knows, in quotes; nil: there are none.
    static func strangeVariables(of content: Content, for apps: [App]) -> String? {
        guard apps.allSatisfy({ !$0.settings.variables.isEmpty }) else { return nil }
        let known = Set(apps.flatMap { $0.settings.variables.map(\.name) })
        var strange: [String] = []
        for name in content.versions.flatMap({ $0.variables.map(\.name) })
        where !known.contains(name) && !strange.contains(name) {
            strange.append(name)
        }
        return strange.isEmpty ? nil : strange.map { "\"\($0.prefix(64))\"" }.joined(separator: ", ")
    }

    /// What a gateway would take and no device get: asked at submission only, so that what was taken before
    /// is sent on.
    /// - Returns: the first thing that the content cannot be for one of these apps, with its path; nil: there
    ///   is none.
    static func misfit(of content: Content, for apps: [App]) -> String? {
        lostText(of: content, for: apps) ?? apps.lazy.compactMap { misfit(of: content.ios, for: $0) }.first
    }

    /// Title and body of what is not shown are for Android apps.
    static func lostText(of content: Content, for apps: [App]) -> String? {
        guard content.ios.type != .alert, apps.allSatisfy({ $0.settings.platform == .ios }) else {
            return nil
        }
        let versions =
            [("content", content)]
            + content.languages.map { ("content.languages.\($0.language)", $0.content) }
        let texts = versions.flatMap { [("\($0).title", $1.title), ("\($0).body", $1.body)] }
        guard let lost = texts.first(where: { $0.1?.isEmpty == false })?.0 else { return nil }
        return
            "\(lost): a \(content.ios.type.rawValue) push shows nothing, and none of the apps is for "
            + "Android; remove it, or set ios.type to \"alert\""
    }

    static func misfit(of ios: IOSContent, for app: App) -> String? {
        guard app.settings.platform == .ios else { return nil }
        let isBinary = app.settings.connector == .ios
        switch ios.type {
        case .alert, .silent:
            guard isBinary, ios.priority == .whenAwake else { return nil }
            return "content.ios.priority: app \(app.name) has the binary connector, which knows 5 and 10"
        case .location where app.settings.credentialIdentity.hasPrefix("certificate:"):
            return
                "content.ios.type: app \(app.name) has a certificate, and Apple takes location pushes with a "
                + "token key only"
        case .voip, .complication, .fileprovider, .location, .pushtotalk, .controls, .widgets:
            guard isBinary else { return nil }
            return
                "content.ios.type: app \(app.name) has the binary connector, which knows alert and silent; a "
                + "\(ios.type.rawValue) push needs connector iosHTTP2"
        }
    }

    /// What of a content does not reach an app's devices, or not as it was meant, a line each.
    static func warnings(of content: Content, for app: App) -> [String] {
        var lines: [String] = []
        for line in content.versions.flatMap({ warningsOfOne($0, for: app) }) where !lines.contains(line) {
            lines.append(line)
        }
        return lines
    }

    private static func warningsOfOne(_ content: Content, for app: App) -> [String] {
        let settings = app.settings
        var lines: [String] = []
        var sound = content.android.type == .notification ? content.android.sound : nil
        if settings.platform == .ios {
            sound = content.ios.soundName
            if settings.connector == .ios, content.ios.collapseID != nil {
                lines.append("the binary connector has no place for content.ios.collapseId: it is not sent")
            }
        } else if settings.platform == .android {
            let unsent = UnsentOptions.names(
                of: content, over: AndroidEnvelope.Interface(identity: settings.credentialIdentity))
            if !unsent.byType.isEmpty {
                lines.append(
                    "a data message has no place for \(list(unsent.byType)): not sent, the app decides")
            }
            if !unsent.byInterface.isEmpty {
                lines.append("FCM's legacy interface has no place for \(list(unsent.byInterface)): not sent")
            }
        }
        if let sound, sound != systemSound, !settings.sounds.contains(where: { $0.internalName == sound }) {
            lines.append(
                "sound \"\(sound.printable(atMost: 64))\" is neither \"\(systemSound)\" nor one that the app "
                    + "declares")
        }
        return lines.map { "app \(app.name): \($0)" }
    }

    /// What both platforms call the device's own sound.
    private static let systemSound = "default"

    private static func list(_ options: [String]) -> String {
        options.map { "content.\($0)" }.joined(separator: ", ")
    }
}

extension IOSContent {
    fileprivate var soundName: String? {
        switch sound {
        case .named(let name), .critical(let name, _): name
        case nil: nil
        }
    }
}
