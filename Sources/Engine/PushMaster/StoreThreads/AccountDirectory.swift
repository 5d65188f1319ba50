internal import PushConfig
package import PushModel
internal import PushSchedule
package import PushStore
internal import PushWire

/// Which account an app's messages go through, and what a child must be told of it: numbers given on first
/// use.
///
/// Lives on the reader's thread. Apps of one team and key share an account; so their quota, breaker and
/// connections. A renewed credential or another connector makes another account, with a breaker and verdicts
/// of its own. What is in flight through the previous account finishes there; everything else of the app's
/// deliveries gets new jobs through the new account.
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
    /// Apps whose gateway is reached otherwise since they were read.
    private var outdated: Set<AppID> = []
    private var jobs: [DeliveryID: [JobKey: KnownJob]] = [:]
    private var lastJob: UInt32 = 0

    private struct AccountIdentity: Hashable {
        var connector: ConnectorName
        var environment: PushEnvironment
        var credentialIdentity: String
        /// Tells a renewed credential from the one before, whose identity may be the same.
        var credentialMark: String

        var name: String { AccountKey.accountName(connector, environment, identity: credentialIdentity) }
        var mark: AccountKey { AccountKey(rawValue: "\(name) #\(credentialMark)") }
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
        /// Its part of the account, for messages to its present topic.
        var mark: AccountKey { accountMark.part(of: app) }
        var revision: Int64

        /// What was submitted while the app had the stub connector may be bound to no topic.
        func topic(of bound: AppRevision) -> String {
            bound.bundleID.isEmpty ? app.settings.bundleID : bound.bundleID
        }
    }

    /// Why an app's messages cannot be addressed now.
    package struct Unaddressable: Error, CustomStringConvertible {
        package var why: String
        package var description: String { why }
    }

    /// `define` tells the loop of a new account or job, before any use of its number.
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

    /// The number of the job that sends this content of the delivery to this app: what the app gave to it when it
    /// was submitted, through the account that the app has now.
    /// - Parameter now: nil asks for the end of its validity anew, as for messages that failed and are sent
    ///   again; a moment does so where that end has come.
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
            extent: Self.extent(of: terms))
        return number
    }

    /// How the messages of a known job are numbered towards devices; nil: nobody has asked for the job.
    package func messageIDFormat(
        delivery: DeliveryID, content: MessageContentID = .ofDelivery, app: AppID
    ) -> MessageIDFormat? {
        jobs[delivery]?[JobKey(app: app, content: content)]?.messageIDFormat
    }

    /// What of a subscription the messages of a known job are rendered with.
    func extent(delivery: DeliveryID, content: MessageContentID, app: AppID) -> MessageReader.Extent {
        jobs[delivery]?[JobKey(app: app, content: content)]?.extent ?? .token
    }

    /// JSON has two braces in a row nowhere but in texts.
    private static func extent(of terms: SendingTerms) -> MessageReader.Extent {
        var extent = extent(of: terms.contentJSON, terms.revision.variables)
        extent.hasVariables = terms.hasVariables && extent != .token
        return extent
    }

    private static func extent(
        of contentJSON: [UInt8], _ variables: [AppVariable]
    ) -> MessageReader.Extent {
        let defaults = variables.compactMap { $0.defaultValue }
        if MessageFilling.needsLanguage(contentJSON)
            || defaults.contains(where: { MessageFilling.needsLanguage($0.utf8) })
        {
            return .languageAndParameters
        }
        let isPersonalised =
            contentJSON.firstRange(of: Content.personalisationMark.utf8) != nil
            || defaults.contains(where: Content.isPersonalised)
        return isPersonalised ? .parameters : .token
    }

    /// Whether a known job is of a delivery with a rate; false: nobody has asked for the job.
    func hasRate(delivery: DeliveryID, content: MessageContentID, app: AppID) -> Bool {
        (jobs[delivery]?[JobKey(app: app, content: content)]?.ratePerSecond ?? 0) > 0
    }

    /// Nothing of this content waits for a grant, as far as anybody knows: its next message makes another job.
    mutating func forget(
        _ number: JobID, of content: MessageContentID, in delivery: DeliveryID, to app: AppID
    ) {
        let key = JobKey(app: app, content: content)
        if jobs[delivery]?[key]?.number == number { jobs[delivery]?[key] = nil }
        if jobs[delivery]?.isEmpty == true { jobs[delivery] = nil }
    }

    /// Whether the validity ends later than the job says: what failed is sent again.
    private func isOutlived(
        _ job: KnownJob, of delivery: DeliveryID, _ content: MessageContentID, at now: WallTime?
    ) throws(StoreError) -> Bool {
        if let now, now < job.expiresAt { return false }
        if content != .ofDelivery {
            return try deliveries.end(of: content, in: delivery).map { $0 > job.expiresAt } ?? false
        }
        return try deliveries.summary(of: delivery).map { $0.expiresAt > job.expiresAt } ?? false
    }

    /// Nothing of this delivery will be sent again.
    package mutating func forget(_ delivery: DeliveryID) {
        jobs[delivery] = nil
    }

    /// Those of which something may be granted.
    var knownDeliveries: [DeliveryID] { Array(jobs.keys) }

    /// A credential that does not unseal is its app's trouble; a store that cannot be read is everybody's.
    private func unsealed(_ app: AppID) throws -> OpaqueCredential {
        do { return try credentials.credential(of: app) ?? OpaqueCredential(bytes: []) } catch {
            if case .credentialUnreadable = error.cause { throw Unaddressable(why: error.description) }
            throw error
        }
    }

    /// Apps that were changed since they were read are read again; those that went are forgotten, and new
    /// ones become known. Of those that are what they were nothing but a number is read.
    package mutating func refresh() throws(StoreError) {
        let revisions = try catalogue.revisions()
        let changed = apps.keys.filter { apps[$0]?.revision != revisions[$0] || outdated.contains($0) }
        for id in changed { try refresh(id, revision: revisions[id]) }
        // One that cannot be addressed is told of when something is to be sent to it.
        for id in revisions.keys.filter({ apps[$0] == nil }).sorted() { _ = try? known(id) }
    }

    /// The same of some apps, for what was found a moment ago: its delivery may have been submitted right
    /// after a change.
    package mutating func refresh(_ found: Set<AppID>) throws(StoreError) {
        for id in found where apps[id] != nil { try refresh(id, revision: try catalogue.revision(of: id)) }
    }

    /// Accounts whose gateways are reached otherwise, or have another quota, end as if their credential had
    /// been replaced: their apps go on through others. What is in flight may finish.
    package mutating func reconfigure(_ gateways: GatewaySettings) throws(StoreError) {
        let changed = gateways.changed(since: self.gateways)
        self.gateways = gateways
        guard !changed.isEmpty, !gateways.verifyMode else { return }
        accounts = accounts.filter { !changed.contains($0.key.connector) }
        outdated.formUnion(apps.filter { changed.contains($0.value.app.settings.connector) }.keys)
        try refresh()
    }

    /// - Parameter revision: how often it was changed; nil: it was removed.
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
                // Until it can be read, it is what it was: the next look asks again.
                apps[id] = known
                if let error = error as? StoreError { throw error }
                return
            }
        }
        outdated.remove(id)
        for delivery in Array(jobs.keys) { jobs[delivery] = jobs[delivery]?.filter { $0.key.app != id } }
        retire(known.account)
    }

    /// An account that no app uses any more is forgotten; its number does not come back.
    private mutating func retire(_ account: AccountID) {
        guard !apps.values.contains(where: { $0.account == account }) else { return }
        accounts = accounts.filter { $0.value != account }
        define(.accountUnused(account))
    }

    /// Apps whose gateway has a feedback service that tells of them, by account.
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

    /// An app and its credential are read one after the other: a change in between must not pair a connector with
    /// the credential of another one.
    private func consistent(
        _ id: AppID
    ) throws -> (app: App, credential: OpaqueCredential, revision: Int64) {
        while true {
            let revision = try catalogue.revision(of: id)
            guard let app = try catalogue.app(id) else {
                throw Unaddressable(why: "app \(id) is not in the store")
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
