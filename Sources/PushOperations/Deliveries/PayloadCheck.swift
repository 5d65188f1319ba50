internal import PushModel
internal import PushPayload

/// Whether a gateway would take a content: with the widest values that any message can have.
enum PayloadCheck {
    static func check(_ content: Content, tracking: Bool, for app: App) throws(PayloadError) {
        let settings = app.settings
        switch settings.platform {
        case .ios:
            _ = try PayloadTemplate.apns(
                content: content, variables: settings.variables, delivery: widestID,
                tracking: tracking, idFormat: settings.messageIDFormat,
                limitBytes: settings.connector.payloadLimitBytes)
        case .android:
            _ = try PayloadTemplate.android(
                content: content, variables: settings.variables, delivery: widestID,
                tracking: tracking, idFormat: settings.messageIDFormat,
                envelope: AndroidEnvelope(settings.fcmInterface),
                limitBytes: settings.connector.payloadLimitBytes)
        }
    }

    private static let widestID = DeliveryID(rawValue: Int64(Int32.max))

    /// Each app is sent those that it declares; one that none declares is a slip of the pen. An app that
    /// declares none takes any.
    /// - Returns: variables of the content that no app knows, in quotes; nil: there are none.
    static func strangeVariables(of content: Content, for apps: [App]) -> String? {
        guard apps.allSatisfy({ !$0.settings.variables.isEmpty }) else { return nil }
        let known = Set(apps.flatMap { $0.settings.variables.map(\.name) })
        let strange = content.variables.map(\.name).filter { !known.contains($0) }
        return strange.isEmpty ? nil : strange.map { "\"\($0.prefix(64))\"" }.joined(separator: ", ")
    }
}

extension AppSettings {
    /// Which of FCM's interfaces the app's credential is for. They count some contents differently.
    fileprivate var fcmInterface: AndroidEnvelope.Interface {
        // The identity says of which kind the credential is; its contents are sealed, and not for this.
        credentialIdentity.hasPrefix("projectkey:") ? .legacy : .httpV1
    }
}
