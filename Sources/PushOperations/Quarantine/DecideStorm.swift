internal import PushConfig
internal import PushModel
package import PushStore

/// Ends a storm, or the wait of verdicts without one, by an operator's judgement, in transactions of bounded size; the
/// account goes on at once. What an interruption leaves waits; the same again finishes it. Fails if there is nothing
/// to decide.
package struct DecideStorm: LongOperation, UseCase, Audited {
    package static let name = "storm.decide"
    package static let operation = Operation(
        .post, "/storms/{name}/confirm", .admin, "The devices are gone: their tokens go into quarantine.",
        given: ["judgement": Judgement.confirm.rawValue])
    package static let operations = [
        operation,
        Operation(
            .post, "/storms/{name}/discard", .admin,
            "The answers are not to be believed: no token is touched.",
            given: ["judgement": Judgement.discard.rawValue]),
    ]
    package static let members: [Member<Self>] = [
        .path(\.storm, "name", "An app that is concerned, or the account."),
        .path(\.judgement, "judgement", "The decision."),
    ]
    package var auditText: AuditText? { .of("\(storm): \(judgement.rawValue)") }

    package enum Judgement: String, Word {
        /// The devices are gone: the tokens go into quarantine, but for those that registered again since.
        case confirm
        /// The answers are not to be believed: no token is touched.
        case discard
    }

    /// An application that is concerned, or the account as ``ShowStorms`` or ``ShowStatus`` names it.
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
                throw OperationError.nobody("somebody else has judged this storm meanwhile")
            }
            sum += more
            watch.report(sum)
        } while sum.hasMore
        // The account was stopped for this: the master looks, and lets it go on.
        operations.engine.nudge()
        return sum
    }

    /// One transaction; nil where there is nothing to decide.
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

/// What became of a storm's verdicts.
extension VerdictStep: View { package static let schemaName = "DecidedStorm" }
