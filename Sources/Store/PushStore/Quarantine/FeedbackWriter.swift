package import PushModel

/// The result of one line of a gateway's feedback, with the evidence for that result.
package struct FeedbackFinding: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        case disabled
        /// No subscription of the app has this token.
        case unknownToken
        /// The device registered again after the gateway found the app missing, so it is alive.
        case registeredAgain
        /// The subscription is already excluded, by feedback or quarantine.
        case excludedAlready
    }
    package var result: Result
    /// The first digits of the token, for the log.
    package var token: String
    /// The time since which the gateway knows that the app is missing.
    package var since: WallTime
    /// The subscription; `nil` if there is none.
    package var subscription: SubscriptionID?
    /// The time at which the subscription last registered.
    package var registered: WallTime?

    package init(
        result: Result, token: String, since: WallTime, subscription: SubscriptionID? = nil,
        registered: WallTime? = nil
    ) {
        self.result = result
        self.token = token
        self.since = since
        self.subscription = subscription
        self.registered = registered
    }
}

/// The findings of one call of ``FeedbackWriter/apply(_:to:at:)``, in the order of its input.
package struct FeedbackStep: Equatable, Sendable {
    package var findings: [FeedbackFinding] = []
    package var disabled: [FeedbackFinding] { findings.filter { $0.result == .disabled } }
    package var ignored: [FeedbackFinding] { findings.filter { $0.result != .disabled } }
    package init() {}
}

/// Applies a gateway's feedback: devices from which an app was removed.
///
/// **Promises.** A subscription is disabled only if its last registration is not later than the feedback's
/// time (Apple: a device that has registered since must be kept). A time in the future counts as now: the
/// gateway cannot know the future, and a device that registers from now on has the app. Applying the same
/// feedback again changes nothing.
package struct FeedbackWriter: Sendable {
    package static let tuplesPerCall = 2_000
    /// The reason that quarantine shows in place of the gateway's reason code.
    static let reason = "feedback: the app was removed"

    let connection: Connection

    /// Applies at most ``tuplesPerCall`` tuples. Refuses a greater number, and an unknown app.
    /// - Parameter tuples: Tokens as the store spells them (lower-case hex for APNs), each with the time
    ///   since which the gateway knows that the app is missing.
    package func apply(
        _ tuples: [(token: String, since: WallTime)], to app: AppID, at now: WallMoment
    ) throws(StoreError) -> FeedbackStep {
        guard tuples.count <= Self.tuplesPerCall else {
            let what = "one call applies at most \(Self.tuplesPerCall) feedback reports, not \(tuples.count)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("apply feedback") { db in
            guard try App.find(app, db) != nil else {
                throw StoreError(.unknown(.app, name: "\(app)"), path: connection.path)
            }
            var step = FeedbackStep()
            for tuple in tuples {
                let since = min(tuple.since, now.time)
                step.findings.append(try apply(tuple.token, since: since, to: app, at: now.time, db))
            }
            try QuarantineEvents(step.disabled, of: app).write(at: now, db)
            return step
        }
    }

    /// Records that the app's feedback was read completely. See also ``Catalogue/lastFeedbackPoll(of:)``.
    package func notePoll(of app: AppID, at now: WallMoment) throws(StoreError) {
        try connection.write("record a feedback poll") { db in
            try db.execute(
                sql: "UPDATE app SET feedback_polled_at = ?1 WHERE id = ?2",
                arguments: [now.time.secondsSince1970, app.rawValue])
        }
    }

    private func apply(
        _ token: String, since: WallTime, to app: AppID, at now: WallTime, _ db: any Session
    ) throws -> FeedbackFinding {
        var finding = FeedbackFinding(
            result: .unknownToken, token: StoredToken.shortened(token), since: since)
        let row = try db.row(
            sql: "SELECT id, updated_at, disabled FROM subscription WHERE app_id = ?1 AND token = ?2",
            arguments: [app.rawValue, StoredToken.value(of: token)])
        guard let row else { return finding }
        let id: Int64 = try row["id"]
        let registered = WallTime(secondsSince1970: try row["updated_at"])
        finding.subscription = SubscriptionID(rawValue: id)
        finding.registered = registered
        guard registered <= since else {
            finding.result = .registeredAgain
            return finding
        }
        guard (try row["disabled"] as Int64) == 0 else {
            finding.result = .excludedAlready
            return finding
        }
        finding.result = .disabled
        let state = QuarantineState.disabled.rawValue
        try db.execute(sql: "UPDATE subscription SET disabled = ?1 WHERE id = ?2", arguments: [state, id])
        try db.execute(
            sql: """
                INSERT INTO quarantine
                    (subscription_id, state, errors, last_error_at, since, source, provider_reason,
                    delivery_id)
                VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, NULL)
                ON CONFLICT (subscription_id) DO UPDATE SET state = ?2, errors = quarantine.errors + 1,
                    last_error_at = ?3, since = ?4, source = ?5, provider_reason = ?6,
                    delivery_id = NULL
                """,
            arguments: [
                id, state, since.secondsSince1970, now.secondsSince1970, QuarantineSource.feedback.rawValue,
                Self.reason,
            ])
        return finding
    }
}
