import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Compares the query plans of the statements that run for every message or every chunk, word by word. An
/// accidental scan would cost one second per million rows.
@Suite struct HotSQLTests {
    @Test func `no hot statement scans a table or sorts rows`() throws {
        try TemporaryStore.with { fixture in
            // With these rows, the plans must be exactly these. After an operator's ANALYZE, other plans may
            // be equally good, depending on the counts.
            let apps = try (1...20).map { try fixture.app("app-\($0)") }
            try fixture.subscribe(1...6_000, to: apps[0])
            for _ in 1...20 { try fixture.prepare(try fixture.submit(.userKeys(["user-1"]), apps: apps)) }
            try fixture.prepare(try fixture.submit(apps: apps))
            let (id, messages) = try fixture.deliver(to: apps[0])
            try fixture.record(
                messages.values.prefix(900).map { TemporaryStore.bad($0) }, accepted: 1, of: id)
            try fixture.settle()
            try fixture.record(
                messages.values.dropFirst(900).prefix(900).map { TemporaryStore.bad($0, .suspect) }, of: id)
            try fixture.settle()
            // A small number of rows is read equally fast without an index.
            try fixture.record(
                messages.values.dropFirst(1_800).prefix(900).map { TemporaryStore.bad($0, reason: "\($0)") },
                of: id)
            let plans = try fixture.store.inspection.plans()
            #expect(plans.count >= 42)
            expectNoScan(plans)
            for (name, expected) in Self.expected {
                let plan = try #require(plans[name], "\(name)")
                for step in expected { #expect(plan.contains { $0.contains(step) }, "\(name): \(plan)") }
            }
            try alter(fixture.path, "ANALYZE")
            expectNoScan(try Store.open(path: fixture.path).inspection.plans())
        }
    }

    /// The result of an operator's ANALYZE, made today or years ago, and the statistics that a restored dump
    /// contains.
    @Test func `no query plan depends on statistics`() throws {
        try TemporaryStore.with { fixture in
            let plans = try fixture.store.inspection.plans()
            try alter(fixture.path, "ANALYZE")
            try expect(fixture, toHave: plans, "the store was analyzed while it was empty")
            let app = try fixture.app()
            try fixture.subscribe(1...2_000, to: app)
            for _ in 1...20 { try fixture.prepare(try fixture.submit(.userKeys(["user-1"]), apps: [app])) }
            try fixture.prepare(try fixture.submit(apps: [app]))
            try expect(fixture, toHave: plans, "the store was filled afterwards")
            try alter(fixture.path, "ANALYZE")
            try expect(fixture, toHave: plans, "the store was analyzed")
            for (what, stat) in [
                ("each index has one key", "'9000000 9000000 9000000 9000000'"),
                ("each key is unique", "'9000000 1 1 1'"), ("tables are tiny", "'1 1 1 1'"),
            ] {
                try alter(
                    fixture.path,
                    """
                    ANALYZE; DELETE FROM sqlite_stat1;
                    INSERT INTO sqlite_stat1 (tbl, idx, stat)
                        SELECT tbl_name, name, \(stat) FROM sqlite_master WHERE type = 'index';
                    INSERT INTO sqlite_stat1 (tbl, idx, stat)
                        SELECT name, NULL, substr(\(stat), 1, instr(\(stat), ' ') - 1) FROM sqlite_master
                        WHERE type = 'table' AND name NOT LIKE 'sqlite%';
                    """)
                try expect(fixture, toHave: plans, what)
            }
        }
    }

    private func expect(
        _ fixture: TemporaryStore, toHave expected: [String: [String]], _ what: String
    ) throws {
        let plans = try fixture.reopened().inspection.plans()
        #expect(plans.count == expected.count)
        for (name, plan) in expected where plans[name] != plan {
            Issue.record("\(what): \(name): \(plans[name, default: []]) instead of \(plan)")
        }
    }

    /// A statement that is not in the list would have a plan that is not tested.
    @Test func `every hot statement is in the list of statements with tested plans`() throws {
        let sources = Repository.target("PushStore")
        let list = try String(
            contentsOf: sources.appending(path: "Deliveries/StoreInspection.swift"), encoding: .utf8)
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var statements: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.split(separator: #/\n(?:extension|enum) HotSQL \{\n/#).dropFirst() {
                let body = part.prefix(upTo: part.firstRange(of: "\n}\n")?.lowerBound ?? part.endIndex)
                for match in body.matches(of: #/(?m)^    static (?:let|func) (\w+)/#) {
                    statements.insert(String(match.1))
                }
            }
        }
        statements.subtract(Self.partsOfStatements)
        #expect(statements.count > 120)
        for name in statements.sorted() {
            let isListed = [",", "\n", "(", " ", "]"].contains { list.contains(": \(name)\($0)") }
            #expect(isListed, "\(name) is not in the list")
        }
    }

    private static let partsOfStatements: Set<String> = [
        "all", "parameters", "partColumns", "partsAfter", "verdictColumns",
    ]

    private func expectNoScan(_ plans: [String: [String]]) {
        for (name, steps) in plans {
            for step in steps {
                let isSmall =
                    step == "SCAN app" || step.hasPrefix("SCAN wanted") || step.hasPrefix("SCAN given")
                    || step.hasPrefix("SCAN (subquery") || step.hasPrefix("SCAN json_each")
                    || step.hasPrefix("SCAN CONSTANT ROW")
                    || [
                        "SCAN due", "SCAN starts", "SCAN page", "SCAN numbering", "SCAN webhook",
                        "SCAN work_change",
                    ].contains(
                        step)
                    // A row that was found earlier.
                    || step == "SCAN p" && steps.contains("MATERIALIZE p")
                #expect(!step.hasPrefix("SCAN") || isSmall, "\(name): \(steps)")
                // Sorts the parts of one delivery by their moments.
                let maySort = name == "heldOfDelivery"
                #expect(!step.contains("TEMP B-TREE") || maySort, "\(name): \(steps)")
            }
        }
    }

    private static let openOfDelivery =
        "INDEX part_waiting (is_open=? AND delivery_id>? AND delivery_id<?)"
    private static let byID = "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
    private static let span =
        "SEARCH held_verdict USING INDEX held_verdict_span (last_subscription>? AND last_subscription<?)"
    private static let expected: [String: [String]] = [
        "partOfMessage": [
            "SEARCH part USING INTEGER PRIMARY KEY (rowid<?)", "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "progress": ["SEARCH q USING INTEGER PRIMARY KEY (rowid=?)"],
        "part": [
            "SEARCH part \(byID)", "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "partsOfDelivery": [
            "SEARCH p USING INDEX part_of_delivery (delivery_id=? AND id>?)",
            "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "recentParts": [
            "SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
            "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "recentMembers": ["SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
        "hitsOfMessages": ["SEARCH hit USING PRIMARY KEY (delivery_id=? AND number>? AND number<?)"],
        "noteWithProviderID": ["SEARCH part_note USING PRIMARY KEY (part_id>? AND part_id<?)"],
        "members": ["SEARCH part \(byID)"],
        "notes": ["SEARCH part_note USING PRIMARY KEY (part_id=?)"],
        "variables": ["(part_id=? AND first_index>? AND first_index<?)"],
        "blocksAround": ["USING INDEX part_variables_span (first_subscription>? AND first_subscription<?)"],
        "openParts": ["INDEX part_pending (has_pending=? AND part_id>?)"],
        "openPartsOfApp": ["INDEX part_pending (has_pending=? AND part_id>? AND part_id<?)"],
        "dueParts": ["INDEX part_due (app_id=? AND "],
        "appsWithDueParts": [
            "SEARCH q USING COVERING INDEX part_due (app_id=? AND next_due>? AND next_due<?)"
        ],
        "nextRetry": ["INDEX part_due (app_id=? AND next_due>?)"],
        "openPartOfDelivery": [openOfDelivery],
        "expiredPart": ["INDEX part_deadline (is_open=? AND deadline<?)"],
        "nextDeadline": ["INDEX part_deadline (is_open=? AND deadline>?)"],
        "hasHeldDue": ["INDEX part_held (held_until>? AND held_until<?)"],
        "nextHeld": ["INDEX part_held (held_until>?)"],
        "writeStates": ["SEARCH part_progress USING INTEGER PRIMARY KEY (rowid=?)"],
        "writePart": ["SEARCH part_progress USING INTEGER PRIMARY KEY (rowid=?)"],
        "tallies": ["SEARCH tally USING PRIMARY KEY (delivery_id=?)"],
        "tallySums": ["SEARCH tally USING PRIMARY KEY (delivery_id>? AND delivery_id<?)"],
        "retryingParts": ["INDEX part_waiting (is_open=? AND delivery_id>?)"],
        "waitingParts": [
            "SEARCH q USING INDEX part_waiting (is_open=? AND delivery_id>?)",
            "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "retryingOfApp": ["SEARCH tally USING PRIMARY KEY (delivery_id=? AND app_id=? AND state=?)"],
        "nextDue": [openOfDelivery],
        "subscriptions": ["SEARCH subscription \(byID)"],
        "localisedSubscriptions": [
            "SEARCH subscription \(byID)", "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "subscriptionsWithFacts": [
            "SEARCH subscription \(byID)", "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "prepareByFacts": [
            "SEARCH s \(byID)", "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "noteActivity": ["SEARCH subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "calendarOfDelivery": ["SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)"],
        "parametersOfUser": ["SEARCH subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "findByID": ["SEARCH subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "findRemovedByID": ["SEARCH removed_subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "findDevices": [
            "SEARCH k USING PRIMARY KEY (app_id=? AND user_key=?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "devicesOfUser": [
            "SEARCH user_key USING PRIMARY KEY (app_id=? AND user_key=?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "findByToken": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?)"],
        "finish": [
            "SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)",
            openOfDelivery,
        ],
        "confirm": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?)"],
        "trust": ["SEARCH account_trust USING INDEX sqlite_autoindex_account_trust_1 (mark=?)"],
        "countAnswers": ["SEARCH account_trust USING INTEGER PRIMARY KEY (rowid=?)"],
        "anyErrors": ["SEARCH quarantine USING COVERING INDEX quarantine_"],
        "errorsOfSent": ["INDEX quarantine_counting (state=? AND subscription_id>? AND subscription_id<?)"],
        "heldAbout": [span],
        "overlappingRows": [span],
        "heldVerdicts": ["SEARCH held_verdict USING INDEX held_verdict_account (account_id=? AND id<?)"],
        "rewriteVerdicts": ["SEARCH held_verdict USING INTEGER PRIMARY KEY (rowid=?)"],
        "deleteVerdicts": ["SEARCH held_verdict USING INTEGER PRIMARY KEY (rowid=?)"],
        "lowerWaiting": ["SEARCH account_trust USING INTEGER PRIMARY KEY (rowid=?)"],
        "registrations": ["SEARCH subscription \(byID)"],
        "quarantineSubscription": ["SEARCH subscription USING INTEGER PRIMARY KEY (rowid=?)"],
        "errorsOfToken": ["SEARCH quarantine USING INTEGER PRIMARY KEY (rowid=?)"],
        "forgetQuiet": ["INDEX quarantine_last_error (state=? AND last_error_at<?)"],
        "nextToPrepare": [
            "SEARCH delivery USING INDEX delivery_scheduled (priority=? AND start_at>? AND start_at<?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority=? AND id>?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority=?)",
        ],
        "hasToPrepare": [
            "SEARCH delivery USING INDEX delivery_scheduled (priority>? AND priority<?)",
            "SEARCH delivery USING INDEX delivery_to_prepare (priority>? AND priority<?)",
        ],
        "nextStart": ["SEARCH delivery USING INDEX delivery_scheduled (priority=? AND start_at>?)"],
        "prepareAll": ["SEARCH subscription \(byID)"],
        "chunkEnd": ["SEARCH subscription \(byID)"],
        "disabledInRange": ["SEARCH subscription \(byID)"],
        "prepareByParameters": ["SEARCH subscription \(byID)"],
        "prepareByExpression": ["SEARCH subscription \(byID)"],
        "clicks": ["SEARCH hit USING PRIMARY KEY (delivery_id=? AND number>? AND number<?)"],
        "prepareByUserKey": [
            "SEARCH k USING PRIMARY KEY (app_id=? AND user_key=? AND subscription_id>? AND subscription_id<?)"
        ],
        "nextEnded": ["SEARCH delivery USING INDEX delivery_ended (retention_days=? AND finished_ms>?)"],
        "nextRetention": ["INDEX delivery_ended (retention_days>?)"],
        "nextToRemove": ["SEARCH delivery USING INDEX delivery_removing (is_removing=?)"],
        "partsToRemove": ["SEARCH p USING INDEX part_of_delivery (delivery_id>? AND delivery_id<?)"],
        "firstPart": ["SEARCH part USING INTEGER PRIMARY KEY (rowid>?)"],
        "notesToRemove": ["SEARCH part_note USING PRIMARY KEY (part_id=?)"],
        "longExcluded": ["INDEX quarantine_since (since<?)"],
        "oldNames": ["INDEX removed_subscription_time (removed_at<?)"],
        "prepareByToken": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?"],
        "messageToken": ["SEARCH subscription USING INDEX subscription_token (app_id=? AND token=?)"],
        "messageUserKey": [
            "SEARCH k USING PRIMARY KEY (app_id=? AND user_key=?)",
            "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "joinOpenDelivery": [
            "SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH damaged_delivery USING INTEGER PRIMARY KEY (rowid=?)",
        ],
        "openDelivery": ["INDEX delivery_open (open_until>? AND open_until<?)"],
        "toClose": ["INDEX delivery_open (open_until>? AND open_until<?)"],
        "nextToClose": ["INDEX delivery_open (open_until>?)"],
        "messageContent": [
            "INDEX message_content_key (delivery_id=? AND revision_id=? AND expires_at=? AND digest=?)"
        ],
        "messageTerms": [
            "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH x USING PRIMARY KEY (delivery_id>? AND delivery_id<?)",
        ],
        "idempotency": ["SEARCH idempotency USING PRIMARY KEY (scope=? AND key=?)"],
        "oldIdempotency": ["INDEX idempotency_time (accepted_at<?)"],
    ]
}
