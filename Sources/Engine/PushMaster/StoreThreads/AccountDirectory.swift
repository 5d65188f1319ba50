internal import PushConfig
package import PushModel
internal import PushSchedule
package import PushStore
internal import PushWire

/// Determines the account through which an app's messages go, and provides the definitions of accounts and
/// jobs that a child needs. An account or job receives its number on first use.
///
/// Used on the reader's thread. Apps of one team and key share an account, and therefore its quota, breaker
/// and connections. A renewed credential or another connector results in another account, with its own
/// breaker and verdicts. Messages in flight through the previous account finish there; everything else in the
/// app's deliveries is assigned new jobs through the new account.
package struct AccountDirectory {
    private let catalogue: Catalogue
    private let credentials: CredentialReader
    private let deliveries: DeliveryReader
    private let trust: TrustReader
    private var gateways: GatewaySettings
    private let define: (LoopEvent) -> Void

    private var accounts: [AccountIdentity: AccountID] = [:]
    private var lastAccount: UInt32 = 0
    private var apps: [AppID: KnownApp] = [:]
    /// Apps whose gateway's settings have changed since the apps were read.
    private var outdated: Set<AppID> = []
    private var jobs: [DeliveryID: [JobKey: KnownJob]] = [:]
    private var lastJob: UInt32 = 0

    private struct AccountIdentity: Hashable {
        var connector: ConnectorName
        var environment: PushEnvironment
        var credentialIdentity: String
        /// A mark that distinguishes a renewed credential from the previous credential, whose identity may be
        /// the same.
        var credentialMark: String

        var name: String { AccountKey.accountName(connector, environment, identity: credentialIdentity) }
        var mark: AccountKey {
            AccountKey(
                connector, environment, identity: credentialIdentity, credentialMark: credentialMark)
        }
    }
    private struct JobKey: Hashable {
        var app: AppID
        var content: MessageContentID
    }
    private struct KnownJob {
        var number: JobID
        var expiresAt: WallTime
        var messageIDFormat: MessageIDFormat
        var ratePerSecond: Int
        var extent: MessageReader.Extent
    }
    private struct KnownApp {
        var app: App
        var account: AccountID
        var accountMark: AccountKey
        /// The app's part of the account, for messages to the app's present topic.
        var mark: AccountKey { accountMark.part(of: app) }
        var revision: Int64

        /// Returns the topic of messages that are bound to the given revision. Messages that were submitted
        /// while the app had the stub connector may be bound to no topic, so they use the app's present
        /// topic.
        func topic(of bound: AppRevision) -> String {
            bound.bundleID.isEmpty ? app.settings.bundleID : bound.bundleID
        }
    }

    /// The reason why an app's messages cannot currently be addressed.
    package struct Unaddressable: Error, CustomStringConvertible {
        package var why: String
        package var description: String { why }
    }

    /// - Parameter define: Reports a new account or job to the loop. It is called before the number of the
    ///   account or job is used.
    package init(
        store: Store, key: InstanceKey, gateways: GatewaySettings, define: @escaping (LoopEvent) -> Void
    ) {
        catalogue = store.catalogue
        credentials = store.credentials(key: key)
        deliveries = store.deliveries
        trust = store.trust
        self.gateways = gateways
        self.define = define
    }

    package mutating func account(of app: AppID) throws -> AccountID { try known(app).account }

    /// Returns the number of the job that sends this content of the delivery to this app. The job uses the
    /// app's settings from the time of submission, and the account that the app has now.
    /// - Parameter now: The present time. The end of the job's validity is queried again if it has been
    ///   reached, or if `now` is `nil`, as for messages that failed and are sent again.
    package mutating func job(
        delivery: DeliveryID, content: MessageContentID = .ofDelivery, app: AppID, at now: WallTime? = nil
    ) throws -> JobID {
        let key = JobKey(app: app, content: content)
        if let job = jobs[delivery]?[key], try !isOutlived(job, of: delivery, content, at: now) {
            return job.number
        }
        let known = try known(app)
        let terms = try deliveries.sendingTerms(of: delivery, content, to: app)
        let topic = known.topic(of: terms.revision)
        lastJob += 1
        let number = JobID(rawValue: lastJob)
        define(
            .job(
                JobDefinition(
                    order: JobOrder(
                        job: number, account: known.account, delivery: delivery,
                        priority: terms.priority,
                        platform: known.app.settings.platform, bundleID: topic,
                        messageIDFormat: terms.revision.messageIDFormat, tracking: terms.tracking,
                        expiresAt: terms.expiresAt, isNowOrNever: terms.isNowOrNever,
                        variables: terms.revision.variables,
                        contentJSON: terms.contentJSON),
                    retry: terms.retry, mark: known.accountMark.part(of: app, topic: topic),
                    appName: known.app.name,
                    ratePerSecond: terms.ratePerSecond,
                    validatesOnly: gateways.validatesOnly(
                        terms.contentJSON, on: known.app.settings.platform,
                        through: known.app.settings.connector))))
        jobs[delivery, default: [:]][key] = KnownJob(
            number: number, expiresAt: terms.expiresAt, messageIDFormat: terms.revision.messageIDFormat,
            ratePerSecond: terms.ratePerSecond,
            extent: Self.extent(of: terms, known.app))
        return number
    }

    /// Returns the format of the message ids that devices receive for a known job; `nil` if the job was never
    /// requested.
    package func messageIDFormat(
        delivery: DeliveryID, content: MessageContentID = .ofDelivery, app: AppID
    ) -> MessageIDFormat? {
        jobs[delivery]?[JobKey(app: app, content: content)]?.messageIDFormat
    }

    /// Returns the extent of the subscription data that is needed to render the messages of a known job.
    func extent(delivery: DeliveryID, content: MessageContentID, app: AppID) -> MessageReader.Extent {
        jobs[delivery]?[JobKey(app: app, content: content)]?.extent ?? .token
    }

    /// Returns the extent of subscription data that the content needs. Parameters are marked by `{{`, which
    /// occurs in JSON only within strings.
    private static func extent(of terms: SendingInfo, _ app: App) -> MessageReader.Extent {
        let facts = MessageFilling.facts(
            in: terms.contentJSON, terms.revision.variables, besides: app.settings.parameters)
        var extent = extent(of: terms.contentJSON, terms.revision.variables, facts)
        extent.hasVariables = terms.hasVariables && extent != .token
        return extent
    }

    private static func extent(
        of contentJSON: [UInt8], _ variables: [AppVariable], _ facts: Set<CollectedFact>
    ) -> MessageReader.Extent {
        let defaults = variables.compactMap { $0.defaultValue }
        let needsLanguage =
            MessageFilling.needsLanguage(contentJSON)
            || defaults.contains { MessageFilling.needsLanguage($0.utf8) }
        // A text that uses facts is personalised.
        let isPersonalised =
            contentJSON.firstRange(of: Content.personalisationMark.utf8) != nil
            || defaults.contains(where: Content.isPersonalised)
        guard needsLanguage || isPersonalised else { return .token }
        return .filling(withLanguage: needsLanguage, facts: facts)
    }

    /// Reports whether a known job belongs to a delivery with a rate; `false` if the job was never requested.
    func hasRate(delivery: DeliveryID, content: MessageContentID, app: AppID) -> Bool {
        (jobs[delivery]?[JobKey(app: app, content: content)]?.ratePerSecond ?? 0) > 0
    }

    /// Forgets a job, because no message with its content is known to wait for a grant. The next message with
    /// this content creates another job.
    mutating func forget(
        _ number: JobID, of content: MessageContentID, in delivery: DeliveryID, to app: AppID
    ) {
        let key = JobKey(app: app, content: content)
        if jobs[delivery]?[key]?.number == number { jobs[delivery]?[key] = nil }
        if jobs[delivery]?.isEmpty == true { jobs[delivery] = nil }
    }

    /// Reports whether the validity now ends later than the job states, because failed messages are sent
    /// again.
    private func isOutlived(
        _ job: KnownJob, of delivery: DeliveryID, _ content: MessageContentID, at now: WallTime?
    ) throws(StoreError) -> Bool {
        if let now, now < job.expiresAt { return false }
        if content != .ofDelivery {
            return try deliveries.end(of: content, in: delivery).map { $0 > job.expiresAt } ?? false
        }
        return try deliveries.summary(of: delivery).map { $0.expiresAt > job.expiresAt } ?? false
    }

    /// Forgets a delivery whose messages will not be sent again.
    package mutating func forget(_ delivery: DeliveryID) {
        jobs[delivery] = nil
    }

    /// The deliveries whose messages may still be granted.
    var knownDeliveries: [DeliveryID] { Array(jobs.keys) }

    /// Returns the app's unsealed credential. A credential that cannot be unsealed affects only its app. A
    /// store that cannot be read affects all apps.
    private func unsealed(_ app: AppID) throws -> OpaqueCredential {
        do { return try credentials.credential(of: app) ?? OpaqueCredential(bytes: []) } catch {
            if case .credentialUnreadable = error.cause { throw Unaddressable(why: error.description) }
            throw error
        }
    }

    /// Reads again the apps that were changed since they were last read, forgets deleted apps, and adds new
    /// apps. For an unchanged app, only the revision number is read.
    package mutating func refresh() throws(StoreError) {
        let revisions = try catalogue.revisions()
        let changed = apps.keys.filter { apps[$0]?.revision != revisions[$0] || outdated.contains($0) }
        for id in changed { try refresh(id, revision: revisions[id]) }
        // An app that cannot be addressed is reported when a message is to be sent to it.
        for id in revisions.keys.filter({ apps[$0] == nil }).sorted() { _ = try? known(id) }
    }

    /// Refreshes only the given apps, whose parts were just found, because their delivery may have been
    /// submitted right after a change.
    package mutating func refresh(_ found: Set<AppID>) throws(StoreError) {
        for id in found where apps[id] != nil { try refresh(id, revision: try catalogue.revision(of: id)) }
    }

    /// Applies changed settings. Accounts whose gateways are now reached differently, or that now have a
    /// different quota, end as if their credential had been replaced. Their apps continue through other
    /// accounts, and messages in flight may finish.
    package mutating func reconfigure(_ gateways: GatewaySettings) throws(StoreError) {
        let changed = gateways.changed(since: self.gateways)
        self.gateways = gateways
        guard !changed.isEmpty, !gateways.verifyMode else { return }
        accounts = accounts.filter { !changed.contains($0.key.connector) }
        outdated.formUnion(apps.filter { changed.contains($0.value.app.settings.connector) }.keys)
        try refresh()
    }

    /// - Parameter revision: The number of changes to the app; `nil` if the app was removed.
    private mutating func refresh(_ id: AppID, revision: Int64?) throws(StoreError) {
        guard let known = apps[id], revision != known.revision || outdated.contains(id) else { return }
        apps[id] = nil
        if revision == nil {
            define(.appLeft(id, known.account, isDeleted: true))
        } else {
            do {
                let present = try self.known(id)
                if present.account != known.account { define(.appLeft(id, known.account, isDeleted: false)) }
                define(.appChanged(id, from: known.account, to: present.account))
            } catch {
                // If the app cannot be read, the old state is kept and the next look tries again.
                apps[id] = known
                if let error = error as? StoreError { throw error }
                return
            }
        }
        outdated.remove(id)
        for delivery in Array(jobs.keys) { jobs[delivery] = jobs[delivery]?.filter { $0.key.app != id } }
        retire(known.account)
    }

    /// Forgets the account if no app uses it any longer. Its number is not used again.
    private mutating func retire(_ account: AccountID) {
        guard !apps.values.contains(where: { $0.account == account }) else { return }
        accounts = accounts.filter { $0.value != account }
        define(.accountUnused(account))
    }

    /// Returns the apps whose gateway has a feedback service that reports on them, keyed by account.
    package func appsWithFeedback() -> [AccountID: [AppID]] {
        var result: [AccountID: [AppID]] = [:]
        for (id, known) in apps
        where gateways.hasFeedback(known.app.settings.connector) && !gateways.verifyMode {
            result[known.account, default: []].append(id)
        }
        return result
    }

    private mutating func known(_ id: AppID) throws -> KnownApp {
        if let known = apps[id] { return known }
        let (app, credential, revision) = try consistent(id)
        let settings = app.settings
        let key = AccountIdentity(
            connector: gateways.verifyMode ? .stub : settings.connector, environment: settings.environment,
            credentialIdentity: settings.credentialIdentity, credentialMark: credentials.mark(of: credential))
        let account: AccountID
        if let open = accounts[key] {
            account = open
        } else {
            account = AccountID(rawValue: lastAccount + 1)
            try open(account, key, credential)
            lastAccount += 1
            accounts[key] = account
        }
        let known = KnownApp(app: app, account: account, accountMark: key.mark, revision: revision)
        apps[id] = known
        define(.appJoined(id, name: settings.name, mark: known.mark, account))
        return known
    }

    /// Reads an app and its credential, one after the other. If the app is changed between the two reads,
    /// reads both again, so that a connector is never combined with another connector's credential.
    private func consistent(
        _ id: AppID
    ) throws -> (app: App, credential: OpaqueCredential, revision: Int64) {
        while true {
            let revision = try catalogue.revision(of: id)
            guard let app = try catalogue.app(id) else {
                throw Unaddressable(
                    why: "app \(id) is not in the store; stop its deliveries, or restore a backup")
            }
            let credential = try unsealed(id)
            if try catalogue.revision(of: id) == revision { return (app, credential, revision ?? 0) }
        }
    }

    private func open(
        _ account: AccountID, _ key: AccountIdentity, _ credential: OpaqueCredential
    ) throws(StoreError) {
        let storms = try trust.trusts().filter { $0.stormSince != nil && key.mark.includes($0.mark) }
        define(
            .account(
                account,
                AccountDefinition(
                    name: key.name, mark: key.mark, terms: gateways.terms(of: key.connector),
                    order: AccountOrder(
                        account: account, connector: key.connector, environment: key.environment,
                        credential: credential, gateway: gateways.gateway(of: key.connector)),
                    storms: Set(storms.map(\.mark)))))
    }
}
