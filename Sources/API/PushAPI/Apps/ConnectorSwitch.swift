internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Checks whether an app can change to other connection settings. The other settings must fit the app's
/// credential, which may be a new one, and the deliveries that are in progress.
///
/// Subscribers, their states and the deliveries are kept. Messages in flight finish through the old
/// connector; all other messages, including retries, go through the new one.
struct ConnectorSwitch {
    let app: App
    let settings: AppSettings

    /// - Parameter connector: A connector's name, or Campaign's URL for the connector. `nil` keeps
    ///   the present connector.
    /// - Throws: If the platform has no such connector, or if the connector needs a credential other than the
    ///   one that the app has or is given.
    init(
        of app: App, to connector: String?, credential: CredentialFile?, bundleID: String?
    ) throws(OperationError) {
        self.app = app
        var settings = app.settings
        if let connector {
            settings.connector = try AppRules.connector(named: connector, platform: settings.platform)
        }
        if let credential { try AppRules.check(credential.kind, for: settings.connector) }
        let verified = try credential?.intake()
        if let verified { settings.credentialIdentity = verified.identity }
        if let bundleID {
            try NameRule.check(bundleID, "the bundle id")
            settings.bundleID = bundleID
        }
        if settings.connector != app.settings.connector {
            if credential == nil {
                try AppRules.checkKept(settings.credentialIdentity, for: settings.connector)
            }
            if settings.bundleID.isEmpty {
                settings.bundleID = try AppRules.bundleID(
                    given: nil, credential: verified, connector: settings.connector,
                    platform: settings.platform)
            }
        }
        self.settings = settings
        self.credential = verified
    }

    /// - Parameter settings: Settings with a connection that the app had before.
    init(of app: App, to settings: AppSettings) {
        (self.app, self.settings, credential) = (app, settings, nil)
    }

    /// The new credential; `nil` if the app keeps its present one.
    let credential: VerifiedCredential?

    /// Reports whether deliveries that were submitted before a change keep values that the app no longer has.
    static func isBoundOtherwise(_ before: AppSettings, _ after: AppSettings) -> Bool {
        var bound = AppRevision(before)
        // If the revision has no topic, the app's present topic is used.
        if bound.bundleID.isEmpty { bound.bundleID = after.bundleID }
        return bound != AppRevision(after)
    }

    /// Refuses a connector or a kind of credential that cannot send the deliveries in progress. Otherwise,
    /// the messages of these deliveries would end unsent, one by one. Single messages are not checked,
    /// because they may have millions of different contents.
    func checkLiveDeliveries(in store: Store, _ gateways: NMACConfiguration) throws {
        guard settings.connector != app.settings.connector || isOfAnotherKind else { return }
        for delivery in try store.catalogue.liveDeliveries(of: app.id) {
            // If the terms or the content cannot be read, they are damaged. The engine reports the damage
            // when it sends.
            guard let terms = try? store.deliveries.sendingTerms(of: delivery, to: app.id),
                let content = try? ConnectorCatalogue.contents.decode(terms.contentJSON),
                let mismatch = mismatch(of: content, terms, with: settings, gateways),
                self.mismatch(of: content, terms, with: app.settings, gateways) == nil
            else { continue }
            throw OperationError.refused(
                "delivery \(delivery) is in progress, and app \(app.name) could not send it with these "
                    + "settings: \(mismatch); wait until it ends, or stop it: "
                    + "\(see: StopDelivery(id: delivery))")
        }
    }

    private var isOfAnotherKind: Bool {
        typealias Kind = CredentialKind
        return Kind(identity: settings.credentialIdentity) != Kind(identity: app.settings.credentialIdentity)
    }

    private func mismatch(
        of content: Content, _ terms: SendingInfo, with settings: AppSettings, _ gateways: NMACConfiguration
    ) -> String? {
        var app = app
        app.settings.connector = settings.connector
        app.settings.credentialIdentity = settings.credentialIdentity
        app.settings.variables = terms.revision.variables
        app.settings.messageIDFormat = terms.revision.messageIDFormat
        do throws(PayloadError) {
            if let mismatch = PayloadCheck.mismatch(of: content, for: app) { return mismatch }
            try PayloadCheck.check(content, tracking: terms.tracking, for: app, gateways)
            return nil
        } catch {
            return "content: \(error)"
        }
    }
}
