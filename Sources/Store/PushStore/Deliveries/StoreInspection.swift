package import PushModel
internal import PushQueue

/// Inspects the store itself: the guarantees of its connections, the execution of its statements, and the
/// correctness of its counters. Changes nothing.
package struct StoreInspection: Sendable {
    let engine: any StoreEngine
    private var reader: Connection { engine.reader }

    /// The settings of the writing connection.
    package struct Durability: Equatable, Sendable {
        /// Should be `wal`.
        package var journalMode: String
        /// Should be 2, which means `FULL`.
        package var synchronous: Int
        package init(journalMode: String, synchronous: Int) {
            self.journalMode = journalMode
            self.synchronous = synchronous
        }
    }

    package func durability() throws(StoreError) -> Durability { try engine.durability() }

    /// The number of rows changed by the largest write transaction since this process opened the store.
    package var largestWrite: Int { engine.writer.largestWrite }
    /// The number of times the writer waited for an answer from its server; 0 on SQLite.
    package var journeys: Int { engine.writer.journeys }

    /// Returns the engine's plans for the hot statements, keyed by the statements' names. A plan has one text
    /// per step.
    package func plans() throws(StoreError) -> [String: [String]] {
        try reader.read("explain its statements") { db in
            try HotSQL.all(db.dialect).mapValues { try engine.plan(of: $0, db) }
        }
    }

    /// Returns the counts of a delivery according to its messages, read part by part. If the delivery is
    /// being sent, each part is counted at a different moment.
    package func recount(_ delivery: DeliveryID) throws(StoreError) -> DeliveryCounts {
        try Self.tallies(in: reader, delivery).tallies.counts
    }

    /// Reports whether the tally agrees with the messages for each app, state, cause and minute.
    package func agrees(_ delivery: DeliveryID) throws(StoreError) -> Bool {
        let counted = try Self.tallies(in: reader, delivery)
        return try reader.read("compare a delivery's tally", of: delivery) { db in
            let prepared = try db.value(
                Int64.self, sql: "SELECT last_ordinal FROM delivery WHERE id = ?1",
                arguments: [delivery.rawValue])
            return try TallyTable(db: db).tallies(of: delivery) == counted.tallies.withoutPending
                && prepared == counted.prepared
        }
    }

    /// Returns the counts of a delivery's messages, and the number of its last message.
    static func tallies(
        in reader: Connection, _ delivery: DeliveryID
    ) throws(StoreError) -> (tallies: TallyByApp, prepared: Int64) {
        var tallies = TallyByApp()
        var prepared: Int64 = 0
        var last: PartID?
        while true {
            let parts = try reader.read("recount a delivery", of: delivery) { db in
                try PartTable(db: db).parts(of: delivery, after: last, limit: partsPerStep)
            }
            for stored in parts {
                tallies.add(stored.progress.states.tally(), of: stored.part.app)
                prepared = max(prepared, stored.part.firstOrdinal + Int64(stored.count) - 1)
            }
            guard parts.count == partsPerStep else { return (tallies, prepared) }
            last = parts.last?.part.id
        }
    }

    private static let partsPerStep = 100
}

extension TallyByApp {
    /// The counts by state, summed over apps, causes and minutes.
    var counts: DeliveryCounts {
        var all = Tally()
        for entry in entries { all += entry.tally.withoutMinutes }
        return all.counts
    }

    /// The tallies as the store keeps them: without the counts of pending messages.
    var withoutPending: TallyByApp {
        var kept = TallyByApp()
        for entry in entries {
            var tally = entry.tally
            for figure in entry.tally.entries where figure.key.state == .pending {
                tally.add(-figure.count, to: figure.key)
            }
            kept.add(tally, of: entry.app)
        }
        return kept
    }
}

extension HotSQL {
    static func all(_ dialect: SQLDialect) -> [String: String] {
        both(dialect).merging(dialect == .sqlite ? ofSQLite : ofPostgreSQL) { $1 }
    }

    /// On a server, each of these statements is replaced by one that takes many values.
    private static let ofSQLite = [
        "messageUserKey": messageUserKey(true), "devicesOfUser": devicesOfUser([]),
        "devicesOfUserWithFacts": devicesOfUser(CollectedFact.allCases),
        "findDeviceByMark": findDeviceByMark,
        "numberEvents": numberEvents, "appendEvents": appendEvents,
        "disabledInRange": disabledInRange,
    ]

    /// The statements that take arrays, and those that are used if several hosts share the store.
    private static let ofPostgreSQL = [
        "ownOpenParts": ownOpenParts(.postgreSQL), "ownOpenPartsOfApp": ownOpenPartsOfApp(.postgreSQL),
        "ownDueParts": ownDueParts,
        "appsWithOwnDueParts": appsWithOwnDueParts, "ownOpenPartOfDelivery": ownOpenPartOfDelivery,
        "ownRetryingParts": ownRetryingParts, "freeRetryingParts": freeRetryingParts,
        "prepareRun": prepareRun,
        "subscriptionsOfRun": subscriptionsOfRun(),
        "findByTokens": findByTokens, "devicesOfUsers": devicesOfUsers([]), "findByIDs": findByIDs,
        "devicesOfUsersWithFacts": devicesOfUsers(CollectedFact.allCases),
        "touchSubscriptions": touchSubscriptions,
        "insertSubscriptions": insertSubscriptions, "listedSubscriptions": listedSubscriptions(),
        "noteHits": noteHits, "devicesByID": devicesByID, "findDevicesByMarks": findDevicesByMarks,
        "noteDevices": noteDevices, "noteLanguages": noteLanguages, "noteActivities": noteActivities,
        "messageTokens": messageTokens(true),
        "messageUserKeys": messageUserKeys(true), "messageContents": messageContents,
        "idempotencies": idempotencies, "numberAndAppendEvents": numberAndAppendEvents,
        "takeParts": takeParts, "partsTaken": partsTaken, "takeDueParts": takeDueParts,
        "giveBackPartsOfApps": giveBackPartsOfApps, "giveBackPartsNotDue": giveBackPartsNotDue,
        "holdersOfDeliveries": holdersOfDeliveries, "holdersOfApps": holdersOfApps, "endedAmong": endedAmong,
    ]

    private static func both(_ dialect: SQLDialect) -> [String: String] {
        ofAll(dialect).merging(ofMessages) { $1 }.merging(ofWebhooks) { $1 }
    }

    private static let ofWebhooks = [
        "eventsAfter": eventsAfter, "oldestEvents": oldestEvents, "wantedEvents": wantedEvents,
    ]

    private static let ofMessages = [
        "messageToken": messageToken(true), "currentRevision": currentRevision,
        "joinOpenDelivery": joinOpenDelivery, "openDelivery": openDelivery, "toClose": toClose,
        "nextToClose": nextToClose, "messageContent": messageContent,
        "insertMessageContent": insertMessageContent, "messageTerms": messageTerms, "messageApp": messageApp,
        "idempotency": idempotency, "noteIdempotency": noteIdempotency, "oldIdempotency": oldIdempotency,
    ]

    private static func ofAll(_ dialect: SQLDialect) -> [String: String] {
        [
            "partOfMessage": partOfMessage(dialect), "part": part,
            "partsOfDelivery": partsOfDelivery(dialect),
            "recentParts": recentParts(dialect), "recentMembers": recentMembers,
            "hitsOfMessages": hitsOfMessages, "noteWithProviderID": noteWithProviderID,
            "members": members, "takeNumbers": takeNumbers, "workChangeNumber": workChangeNumber,
            "noteWorkChange": noteWorkChange, "impossibleClaim": impossibleClaim,
            "hasProviderIDs": hasProviderIDs, "hasProviderID": hasProviderID,
            "releaseHeld": releaseHeld(dialect),
            "heldOfDelivery": heldOfDelivery,
            "notes": notes, "variables": variables, "blocksAround": blocksAround,
            "waitingBlocks": waitingBlocks(dialect), "openParts": openParts(dialect),
            "openPartsOfApp": openPartsOfApp(dialect), "dueParts": dueParts,
            "appsWithDueParts": appsWithDueParts, "nextRetry": nextRetry,
            "openPartOfDelivery": openPartOfDelivery,
            "expiredPart": expiredPart,
            "nextDeadline": nextDeadline, "retryingParts": retryingParts, "writeStates": writeStates,
            "writePart": writePart, "writeNote": writeNote, "addToTally": addToTally, "finish": finish,
            "lost": lost,
            "partOfMessageInDelivery": partOfMessageInDelivery(dialect), "stranded": stranded,
            "waitingParts": waitingParts, "retryingOfApp": retryingOfApp, "tallies": tallies,
            "tallySums": tallySums, "nextDue": nextDue,
            "subscriptions": subscriptionsInRange(),
            "localisedSubscriptions": subscriptionsInRange(SubscriptionWalk.localised),
            "subscriptionsWithFacts": subscriptionsInRange(
                SubscriptionWalk.filling(Set(CollectedFact.allCases), withLanguage: true, dialect)),
            "findByToken": findByToken, "findByID": findByID, "findRemovedByID": findRemovedByID,
            "findDevices": findDevices, "noteGroup": noteGroup, "prepareAll": prepareAll(dialect),
            "chunkEnd": chunkEnd,
            "progress": progress,
            "prepareByParameters": prepareByParameters(dialect),
            "prepareByUserKey": prepareByUserKey(dialect),

            "prepareByExpression": prepareByExpression, "clicks": clicks,
            "prepareByFacts": prepareByFacts(CollectedFact.allCases, dialect),
            "prepareByToken": prepareByToken, "nextEnded": nextEnded, "nextRetention": nextRetention,
            "nextToRemove": nextToRemove, "partsToRemove": partsToRemove, "firstPart": firstPart,
            "notesToRemove": notesToRemove, "longExcluded": longExcluded, "oldNames": oldNames,
            "confirm": confirm, "heldAbout": heldAbout,
            "overlappingRows": overlappingRows, "trust": trust, "countAnswers": countAnswers,
            "holdVerdicts": holdVerdicts, "rewriteVerdicts": rewriteVerdicts,
            "deleteVerdicts": deleteVerdicts,
            "lowerWaiting": lowerWaiting, "anyErrors": anyErrors, "lastHeld": lastHeld,
            "errorsOfSent": errorsOfSent,
            "heldVerdicts": heldVerdicts(dialect),
            "registrations": subscriptionsInRange(SubscriptionWalk.registration),
            "quarantineSubscription": quarantineSubscription, "errorsOfToken": errorsOfToken,
            "noteError": noteError,
            "forgetQuiet": forgetQuiet(dialect), "nextToPrepare": nextToPrepare, "hasToPrepare": hasToPrepare,
            "nextStart": nextStart, "hasHeldDue": hasHeldDue, "nextHeld": nextHeld,
            "insertSubscription": insertSubscription,
            "replaceSubscription": replaceSubscription, "takesHits": takesHits, "noteHit": noteHit,
            "addToHitTally": addToHitTally, "hitTally": hitTally, "partsForHits": partsForHits(dialect),
            "hitsToRemove": hitsToRemove, "noteDevice": noteDevice, "noteLanguage": noteLanguage,
            "noteActivity": noteActivity,
            "registerAgain": registerAgain, "parametersOfUser": parametersOfUser,
            "takeSequences": takeSequences, "hitSums": hitSums,
            "deviceByID": deviceByID, "subscribersWithDevices": subscribersWithDevices(dialect),
            "pause": pause, "resume": resume, "stop": stop, "grantOfToken": grantOfToken,
            "sessionOfToken": sessionOfToken,
            "auditPage": auditPage, "lastAuditLine": lastAuditLine, "auditOfAction": auditOfAction,
            "removeOldAudit": removeOldAudit, "calendarOfDelivery": calendarOfDelivery,
        ]
    }
}
