internal import PushConfig
package import PushModel
internal import PushSchedule
package import PushStore

/// Lists the floods of rejected tokens that wait for a decision.
package struct ShowStorms: ShortOperation, UseCase {
    package static let name = "storm.list"
    package static let operation = Operation(
        .get, "/storms", .read, "Lists floods of rejected tokens that await a decision.", reach: .services)
    package static let commandPath = "quarantine storm show"
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [StormView] { try Storms(in: operations).all }
}

/// A storm as it is shown.
package struct StormView: View, Equatable {
    /// An app's part of an account, including the mark of the app's credential.
    package var account: String
    package var since: WallMoment
    /// The number of accepted messages in the run of answers that caused the storm.
    package var accepted: Int
    /// The number of rejected tokens in that run.
    package var aboutTokens: Int
    /// The number of waiting verdicts.
    package var held: Int
    /// The apps whose subscribers the verdicts concern.
    package var apps: [String]
    /// The deliveries to which the answers that caused the verdicts belong.
    package var deliveries: [DeliveryID]

    init(_ summary: StormSummary, apps: [String], trust: AccountTrust?) {
        account = summary.account.rawValue
        since = summary.since
        let run = trust?.evidence.run ?? TrustEvidence.Run()
        accepted = run.answers - run.aboutTokens
        aboutTokens = run.aboutTokens
        held = summary.held
        self.apps = apps
        deliveries = summary.deliveries
    }
}

/// The storms of a store, with the names of the apps that they concern.
struct Storms {
    let all: [StormView]

    init(in operations: Operations) throws {
        let names = try operations.appNames()
        let trust = operations.store.trust
        var storms: [StormView] = []
        // An app's verdicts belong to the app's own part of an account.
        for summary in try trust.storms() where !operations.bounds.areSet || summary.isOf(names) {
            storms.append(
                StormView(
                    summary, apps: summary.apps.compactMap { names[$0] },
                    trust: try trust.trust(of: summary.account)))
        }
        all = storms
    }

    /// Returns the account whose verdicts are to be decided, whether they belong to a storm or wait without
    /// one. The account is found by its own name or by the name of an app.
    static func account(named name: String, in operations: Operations) throws -> AccountKey {
        let app = try operations.store.catalogue.app(named: name)
        // Held-back verdicts may concern an app even if its account cannot be determined.
        let part = app.flatMap { app in try? operations.engine.account(of: app).mark.part(of: app) }
        let storms = try Storms(in: operations)
        let waiting = try WaitingVerdictsView.all(in: operations).map { waiting in
            Candidate(account: waiting.account, apps: waiting.apps)
        }
        let candidates = storms.all.map { Candidate(account: $0.account, apps: $0.apps) }
        // A storm has priority over verdicts that wait without a storm. An app may have both: one through an
        // old credential, and the other through its present credential.
        let named = try? Self.named(name, account: part, among: candidates)
        return AccountKey(
            rawValue: try named?.account
                ?? Self.named(name, account: part, among: candidates + waiting).account)
    }

    /// An account with verdicts that are to be decided.
    private struct Candidate {
        var account: String
        var apps: [String]

        var accountName: String { AccountKey(rawValue: account).accountName }
    }

    /// - Parameter account: If the name is that of an app, the part of the account that belongs to this app
    ///   at present.
    private static func named(
        _ name: String, account: AccountKey?, among all: [Candidate]
    ) throws(OperationError) -> Candidate {
        guard !all.isEmpty else { throw .noMatch("no storm waits for a decision") }
        if let storm = all.first(where: { $0.account == name }) { return storm }
        let matching = all.filter {
            $0.apps.contains(name) || $0.accountName == name || $0.account == account?.rawValue
        }
        guard let storm = matching.first else {
            throw .noMatch("no storm of \(name) waits for a decision; waiting: \(list(all))")
        }
        guard matching.count == 1 else {
            throw .refused("\(name) has several storms; give one of \(list(matching))")
        }
        return storm
    }

    private static func list(_ storms: [Candidate]) -> String {
        storms.map { "\"\($0.account)\"" }.joined(separator: ", ")
    }
}

/// Confirms or discards the verdicts of a storm, or verdicts that wait without a storm, as an operator has
/// decided, in transactions of bounded size. The account continues immediately. If the operation is
/// interrupted, the remaining verdicts continue to wait; repeating the request completes the work. Fails if
/// there is nothing to decide.
package struct DecideStorm: LongOperation, UseCase, Audited {
    package static let name = "storm.decide"
    package static let operation = Operation(
        .post, "/storms/{name}/confirm", .admin,
        "Confirms that the devices no longer exist. Their tokens go into quarantine.",
        verb: Judgement.confirm.rawValue, given: ["judgement": Judgement.confirm.rawValue], reach: .services)
    package static let operations = [
        operation,
        Operation(
            .post, "/storms/{name}/discard", .admin,
            "Discards the gateway's answers. No token is changed.",
            verb: Judgement.discard.rawValue, given: ["judgement": Judgement.discard.rawValue],
            reach: .services),
    ]
    package static let members: [Member<Self>] = [
        .path(\.storm, "name", "The name of an affected app, or of the account."),
        .path(\.judgement, "judgement", "The decision."),
    ]
    package var auditText: AuditText? { .of("\(storm): \(judgement.rawValue)") }

    package enum Judgement: String, Word {
        /// The devices no longer exist: their tokens go into quarantine, except those of devices that have
        /// registered again since.
        case confirm
        /// The answers are not credible: no token is changed.
        case discard
    }

    /// The name of an affected app, or of the account as ``ShowStorms`` or ``ShowStatus`` shows it.
    package private(set) var storm = ""
    package private(set) var judgement = Judgement.discard

    package init() {}
    package init(storm: String, judgement: Judgement) {
        self.storm = storm
        self.judgement = judgement
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<VerdictStep>
    ) throws -> VerdictStep {
        let account = try Storms.account(named: storm, in: operations)
        var throttle = BulkWriteThrottle(operations)
        var sum = VerdictStep()
        repeat {
            if sum.hasMore {
                try watch.proceed()
                throttle.pause()
            }
            guard let more = try step(account, in: operations) else {
                throw OperationError.noMatch("this storm has already been judged by another request")
            }
            sum += more
            watch.report(sum)
        } while sum.hasMore
        // The account was stopped because of the storm. The master checks the store and lets the account
        // continue.
        operations.engine.wakeUp()
        return sum
    }

    /// Performs one transaction. Returns `nil` if there is nothing to decide.
    private func step(_ account: AccountKey, in operations: Operations) throws(StoreError) -> VerdictStep? {
        let verdicts = operations.store.verdicts
        switch judgement {
        case .discard: return try verdicts.discardStorm(account)
        case .confirm:
            let quarantine = operations.settings.nmac.quarantine
            let rules = QuarantineRules(
                maxErrors: quarantine.maxErrors,
                significantErrorDelaySeconds: Int64(quarantine.significantErrorDelaySec))
            return try verdicts.confirmStorm(account, rules: rules, at: operations.clock.moment())
        }
    }
}

/// The result of deciding about a storm's verdicts.
extension StormSummary {
    /// Reports whether the storm concerns only these apps.
    fileprivate func isOf(_ names: [AppID: String]) -> Bool {
        account.isOf(names) && apps.allSatisfy { names[$0] != nil }
    }
}

extension AccountKey {
    /// Reports whether the key is the part of an account that belongs to one of these apps.
    fileprivate func isOf(_ names: [AppID: String]) -> Bool { app.map { names[$0] != nil } ?? false }
}

extension VerdictStep: View { package static let schemaName = "DecidedStorm" }

/// Lists the verdicts that wait without a storm. ``ShowStatus`` also reports them, together with everything
/// else about the instance.
package struct ListWaitingVerdicts: ShortOperation {
    package static let name = "verdict.list"

    package init() {}

    package func perform(in operations: Operations) throws -> [WaitingVerdictsView] {
        try WaitingVerdictsView.all(in: operations)
    }
}

/// An account's verdicts about tokens, if they wait although there is no storm. No device is disabled until
/// the verdicts are applied.
package struct WaitingVerdictsView: View, Equatable {
    /// The event for which the verdicts wait.
    package enum Cause: String, Codable, Word {
        /// An operator's decision, or enough accepted messages: the account has not yet been shown to work.
        case unproved
        /// Accepted messages, or an operator's decision: the latest answers suggest that everything is wrong.
        case contradicted
        /// Further answers, or the time ``WaitingVerdictsView/appliesAt``.
        case undecided
    }

    package static let about = [
        "appliesAt":
            """
        when the verdicts are applied unless answers contradict them; null if they are not applied \
        automatically
        """
    ]

    /// An app's part of an account, including the mark of the app's credential. ``DecideStorm`` accepts this
    /// name.
    package var account: String
    /// The apps whose subscribers the verdicts concern.
    package var apps: [String]
    package var held: Int
    /// The time of the oldest verdict.
    package var since: WallMoment
    package var cause: Cause
    package var appliesAt: WallTime?

    init(_ trust: AccountTrust, since: WallMoment, apps: [String], under rule: StormRule) {
        account = trust.mark.rawValue
        self.apps = apps
        held = trust.waiting
        self.since = since
        switch rule.wait(of: trust.evidence, since: since) {
        case .decision: cause = .unproved
        case .acceptances: cause = .contradicted
        case .time(let time): (cause, appliesAt) = (.undecided, time)
        }
    }

    /// Returns all waiting verdicts of a store. If a delivery is given, returns only those of the accounts
    /// that have verdicts from answers to this delivery.
    static func all(of delivery: DeliveryID? = nil, in operations: Operations) throws -> [Self] {
        let trust = operations.store.trust
        let waiting = try trust.waiting()
        guard !waiting.isEmpty else { return [] }
        let named = try delivery.map { Set(try trust.trusts(with: $0).map(\.mark)) }
        let names = try operations.appNames()
        let rule = StormRule(holdDelaySeconds: Int64(operations.settings.nmac.quarantine.holdDelaySec))
        let isBound = operations.bounds.areSet
        return waiting.filter {
            (named?.contains($0.trust.mark) ?? true) && (!isBound || $0.trust.mark.isOf(names))
        }.map { trust, since in
            WaitingVerdictsView(
                trust, since: since, apps: trust.mark.app.flatMap { names[$0] }.map { [$0] } ?? [],
                under: rule)
        }
    }
}
