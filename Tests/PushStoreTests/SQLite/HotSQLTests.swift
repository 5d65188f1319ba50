import PushModel
import PushStore
import Testing

/// The plans of the statements that run for every message or every chunk, asserted word by word: a scan that slips in
/// is a second per million.
@Suite struct HotSQLTests {
    @Test func `no hot statement scans or sorts`() throws {
        try TemporaryStore.with { house in
            // With rows the plans must be these. After an operator's ANALYZE others may be as good, by what it counted.
            let apps = try (1...20).map { try house.app("app-\($0)") }
            try house.subscribe(1...6_000, to: apps[0])
            for _ in 1...20 { try house.prepare(try house.submit(.userKeys(["user-1"]), apps: apps)) }
            try house.prepare(try house.submit(apps: apps))
            let (id, messages) = try house.deliver(to: apps[0])
            try house.record(messages.values.prefix(900).map { TemporaryStore.bad($0) }, accepted: 1, of: id)
            try house.settle()
            try house.record(
                messages.values.dropFirst(900).prefix(900).map { TemporaryStore.bad($0, .suspect) }, of: id)
            try house.settle()
            try house.record(messages.values.dropFirst(1_800).prefix(900).map { TemporaryStore.bad($0) }, of: id)
            let plans = try house.store.inspection.plans()
            #expect(plans.count >= 42)
            expectNoScan(plans)
            for (name, expected) in Self.expected {
                let plan = try #require(plans[name], "\(name)")
                for step in expected { #expect(plan.contains { $0.contains(step) }, "\(name): \(plan)") }
            }
            try alter(house.path, "ANALYZE")
            expectNoScan(try Store.open(path: house.path).inspection.plans())
        }
    }

    private func expectNoScan(_ plans: [String: [String]]) {
        for (name, steps) in plans {
            for step in steps {
                let isSmall =
                    step == "SCAN app" || step.hasPrefix("SCAN wanted") || step.hasPrefix("SCAN given")
                    || step.hasPrefix("SCAN (subquery") || step.hasPrefix("SCAN json_each")
                    || step.hasPrefix("SCAN CONSTANT ROW")
                #expect(!step.hasPrefix("SCAN") || isSmall, "\(name): \(steps)")
                #expect(!step.contains("TEMP B-TREE"), "\(name): \(steps)")
            }
        }
    }

    private static let byID = "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
    private static let expected: [String: [String]] = [
        "pending": ["SEARCH m \(byID)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)"],
        "retries": [
            "SEARCH m USING INDEX message_due (app_id=? AND",
            "SEARCH p USING INDEX part_of_delivery (delivery_id=? AND last_id>?)",
        ],
        "retriesDue": ["SEARCH message USING INDEX message_due (app_id=? AND due_at<?)"],
        "nextRetry": ["SEARCH m USING INDEX message_due (app_id=? AND due_at>?)"],
        "retriesAfter": ["SEARCH message USING INDEX message_due (app_id=? AND due_at>?)"],
        "moveRetries": ["SEARCH message USING INDEX message_due (app_id=? AND due_at>? AND due_at<?)"],
        "openParts": [
            "SEARCH p USING INDEX part_open (open=? AND id>?)", "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "openPartsOfApp": [
            "SEARCH p USING INDEX part_open (open=? AND id>? AND id<?)",
            "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "logPage": [
            "SEARCH p USING INDEX part_of_delivery (delivery_id=? AND last_id>?)", "SEARCH m \(byID)",
            "SEARCH removed_subscription USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "findByToken": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?)"],
        "sendPending": ["SEARCH message \(byID)"],
        "sendRetrying": ["SEARCH message \(byID)"],
        "sendEnded": ["SEARCH message \(byID)"],
        "change": ["SEARCH message USING INTEGER PRIMARY KEY (rowid=?)"],
        "countOutcomes": ["SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)"],
        "finish": ["SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)"],
        "cancelPending": ["SEARCH message \(byID)"],
        "failRetrying": ["SEARCH message \(byID)"],
        "failLost": ["SEARCH message \(byID)"],
        "confirm": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?)"],
        "trust": ["SEARCH account_trust USING INDEX sqlite_autoindex_account_trust_1 (mark=?)"],
        "countAnswers": ["SEARCH account_trust USING INTEGER PRIMARY KEY (rowid=?)"],
        "holdVerdict": ["SEARCH message USING INTEGER PRIMARY KEY (rowid=?)"],
        "anyErrors": ["SEARCH quarantine USING COVERING INDEX quarantine_"],
        "errorsOfSent": ["SEARCH m \(byID)", "INDEX quarantine_counting (state=? AND subscription_id=?"],
        "heldOfSent": ["SEARCH m \(byID)", "SEARCH h USING INDEX held_verdict_subscription (subscription_id=?"],
        "heldAbout": ["SEARCH held_verdict USING INDEX held_verdict_subscription (subscription_id>? AND"],
        "heldVerdicts": [
            "SEARCH h USING INDEX held_verdict_account (account_id=? AND id<?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "quarantineSubscription": ["SEARCH subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "errorsOfToken": ["SEARCH quarantine USING INTEGER PRIMARY KEY (rowid=?)"],
        "noteError": ["SEARCH held_verdict USING INTEGER PRIMARY KEY (rowid=?)"],
        "forgetQuiet": ["INDEX quarantine_last_error (state=? AND last_error_at<?)"],
        "failedMessages": ["SEARCH m \(byID)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)"],
        "retryFailed": ["SEARCH m \(byID)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)"],
        "nextToPrepare": [
            "SEARCH delivery USING INDEX delivery_scheduled (priority=? AND start_at>? AND start_at<?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority=? AND id>?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority=?)",
        ],
        "hasToPrepare": [
            "SEARCH delivery USING INDEX delivery_scheduled (priority=? AND start_at>? AND start_at<?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority=?)",
        ],
        "nextStart": ["SEARCH delivery USING INDEX delivery_scheduled (priority=? AND start_at>?)"],
        "prepareAll": ["SEARCH subscription \(byID)"],
        "prepareByParameters": ["SEARCH subscription \(byID)"],
        "prepareByUserKey": [
            "SEARCH k USING PRIMARY KEY (app_id=? AND user_key=? AND subscription_id>? AND subscription_id<?)"
        ],
        "prepareByToken": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?"],
    ]
}
