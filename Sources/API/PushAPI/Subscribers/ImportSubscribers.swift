internal import Dispatch
internal import PushModel
package import PushStore
package import PushWire
internal import Synchronization

/// Imports subscribers from CSV or JSON lines, with up to millions of rows.
///
/// A row with a known token updates the subscriber. A subscriber in quarantine stays there unless
/// ``liftsQuarantine`` is set, because a list is not a registration. Bad rows are reported and omitted; good
/// rows are kept. Repeating an import is harmless. Refuses an unknown application, and a file whose first
/// line is wrong or, if the application declares parameters, contains a parameter that the application does
/// not declare.
/// **Promises.** Memory use does not grow with the file: ``SubscriberRows`` contains the rows that have been
/// read but not yet written. Rows that were written before a failure or a cancellation are kept.
package struct ImportSubscribers: Upload {
    package typealias Answer = ImportedSubscribers
    package static let name = "subscribers.import"
    package static let operation = Operation(
        .post, "/apps/{app}/subscribers/import", .admin,
        "Imports subscribers from CSV or JSON lines. The job is complete when the whole body has been read.",
        .lengthy,
        status: 202)
    package static let members: [Member<Self>] = [
        .path(\.app, "app", "The app's name."),
        .query(
            \.liftsQuarantine, "liftQuarantine",
            "Make subscribers in the file valid again if they are in quarantine or disabled.",
            default: false),
    ]
    package static let example = #"{"app": "neotrips-ios"}"#
    package static let bodyHelp =
        "CSV: the first line contains the column names `token` and `userKey`, in any order; `osLanguage` is "
        + "the language of the device, the other facts of an export are ignored, and each other column is a "
        + "subscription parameter, such as `timeZone`; `parameters.osName` is a parameter that has the name "
        + "of a fact. JSON lines: one object per line, with `token`, "
        + "`userKey` (null if there is none), `osLanguage` and `parameters` (an object of strings), both "
        + "optional."
    package static let bodyTypes = SubscriberFormat.allCases.map(\.mediaType)
    package static var bodyExamples: [String: String] { SubscriberFormat.examples }
    package var auditText: AuditText? { .of("file of app \(app)") }

    package private(set) var app = ""
    /// Whether each row counts as a registration of its device, so that excluded subscribers become valid
    /// again.
    package private(set) var liftsQuarantine = false
    /// Receives all rows that are not accepted, as they are found. The answer contains only the first ones.
    package var takeRejected: (@Sendable ([RejectedRow]) -> Void)?

    package init() {}

    package init(app: String, liftsQuarantine: Bool = false) {
        self.app = app
        self.liftsQuarantine = liftsQuarantine
    }

    package func check(in operations: Operations) throws { _ = try operations.requireApp(named: app) }

    /// Performs the import and keeps the first rejected rows.
    package func perform(
        in operations: Operations, type: String, watchedBy watch: Watch<ImportedSubscribers>,
        read: @escaping (_ limit: Int) async throws -> [UInt8]
    ) async throws -> ImportedSubscribers {
        var rejects: [ImportedSubscribers.Reject] = []
        var done = try await perform(
            in: operations, SubscriberFormat(mediaType: type) ?? .csv, fileName: "the body", watchedBy: watch,
            read: read
        ) { rows in
            takeRejected?(rows)
            let room = ImportedSubscribers.maxRejects - rejects.count
            rejects += rows.prefix(room).map {
                ImportedSubscribers.Reject(line: $0.line, reason: "\($0.fault)")
            }
        }
        done.rejects = rejects
        return done
    }

    /// - Parameters:
    ///   - fileName: The name of the file in error texts.
    ///   - watch: Receives the counts of the rows that have been stored so far.
    ///   - read: Returns the next bytes of the file, at most the requested number; empty at the end of the
    ///     file.
    ///   - reject: Receives rows that were not accepted, as they are found.
    package func perform(
        in operations: Operations, _ format: SubscriberFormat, fileName: String,
        watchedBy watch: Watch<ImportedSubscribers> = Watch(),
        read: (_ limit: Int) async throws -> [UInt8], reject: ([RejectedRow]) throws -> Void
    ) async throws -> ImportedSubscribers {
        var inStore = 0
        do {
            let app = try operations.requireApp(named: app)
            var rows = SubscriberImport(app: app, operations: operations, registers: liftsQuarantine)
            defer { inStore = rows.imported.taken }
            try await rows.run(format, watch, read: read, reject: reject)
            return rows.imported
        } catch let error as WireError {
            throw OperationError.refused("\(fileName): \(error)").adding(rowsInStore: inStore)
        } catch {
            throw OperationError(error).adding(rowsInStore: inStore)
        }
    }
}

extension OperationError {
    /// Returns the error of an import, extended by the number of rows that were imported before the error.
    /// The caller of a cancelled import already has this number.
    fileprivate func adding(rowsInStore count: Int) -> OperationError {
        guard count > 0, kind != .cancelled else { return self }
        return adding(
            "at least \(Numerals.count(count, "row")) of the file were imported; after you have corrected "
                + "the cause, repeat the import, which does not change these rows again")
    }
}

extension SubscriberFormat {
    /// Examples of files with one subscriber. The keys are media types.
    static var examples: [String: String] {
        let token = AnswerExamples.deviceToken
        return [
            csv.mediaType: "token,userKey,city,osLanguage\n\(token),anna,Rome,it-IT\n",
            jsonLines.mediaType:
                #"{"token":"\#(token)","userKey":"anna","osLanguage":"it-IT","parameters":{"city":"Rome"}}"#
                + "\n",
        ]
    }

    /// Examples of exported files with one subscriber. The keys are media types.
    static var exportExamples: [String: String] {
        let token = AnswerExamples.deviceToken
        let facts = [
            ("osLanguage", "it-IT"), ("osName", "iOS"), ("osVersion", "iOS 18.1"), ("deviceName", ""),
            ("deviceModel", "iPhone"), ("deviceBrand", "Apple"), ("deviceManufacturer", "Apple"),
            ("createdAt", "2026-10-12T10:30:00Z"), ("registeredAt", "2026-11-14T10:30:00Z"),
            ("lastActiveAt", "2026-11-20T18:03:55Z"),
        ]
        let names = facts.map(\.0).joined(separator: ",")
        let values = facts.map(\.1).joined(separator: ",")
        let members = facts.filter { !$0.1.isEmpty }.map { #""\#($0.0)":"\#($0.1)""# }.joined(separator: ",")
        return [
            csv.mediaType: "token,userKey,city,\(names)\n\(token),anna,Rome,\(values)\n",
            jsonLines.mediaType:
                #"{"token":"\#(token)","userKey":"anna",\#(members),"parameters":{"city":"Rome"}}"# + "\n",
        ]
    }
}

/// The result of an import.
package struct ImportedSubscribers: View, Equatable {
    package struct Reject: View, Equatable {
        package var line: Int
        package var reason: String
    }

    package static let about = [
        "rows": "inserted + updated + unchanged + repeated + rejected",
        "repeated": "rows that a later row with the same token replaced",
        "waiting": "rows that were read but are not yet written; null at the end",
        "quarantined": "unchanged or updated subscribers that are still in quarantine or disabled",
        "optedOut": "subscribers who have opted out, which an import never changes",
        "rejects": "the first \(maxRejects) rejected rows",
    ]
    fileprivate static let maxRejects = 100

    /// The number of all rows in the file: `inserted + updated + unchanged + repeated + rejected`.
    package var rows = 0
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// The number of rows that a later row with the same token replaced.
    package var repeated = 0
    package var rejected = 0
    /// The number of ``unchanged`` and ``updated`` subscribers in quarantine or disabled, who stay in this
    /// state.
    package var quarantined = 0
    /// The number of subscribers who have opted out, and who stay so.
    package var optedOut = 0
    /// The number of rows that were read and are not written yet; `nil` at the end.
    package var waiting: Int?
    /// The rejected rows; `nil` if the caller has already received them.
    package var rejects: [Reject]?

    package init() {}

    /// The number of accepted rows.
    package var taken: Int { rows - rejected }

    mutating func count(_ counts: ImportCounts) {
        inserted += counts.inserted
        updated += counts.updated
        unchanged += counts.unchanged
        repeated += counts.repeated
        quarantined += counts.excluded
        optedOut += counts.optedOut
        rows += counts.inserted + counts.updated + counts.unchanged + counts.repeated
    }

    mutating func count(rejected rows: [RejectedRow]) {
        rejected += rows.count
        self.rows += rows.count
    }
}

/// A running import.
private struct SubscriberImport {
    let app: App
    let operations: Operations
    let registers: Bool
    var imported = ImportedSubscribers()

    private static let readBytes = 1 << 20

    init(app: App, operations: Operations, registers: Bool) {
        self.app = app
        self.operations = operations
        self.registers = registers
    }

    mutating func run(
        _ format: SubscriberFormat, _ watch: Watch<ImportedSubscribers>,
        read: (Int) async throws -> [UInt8],
        reject: ([RejectedRow]) throws -> Void
    ) async throws {
        var file = SubscriberFile(
            format, platform: app.settings.platform, declared: app.settings.parameters)
        var batch = SubscriberBatch()
        var rows = operations.store.subscriberRows()
        var isAtEnd = false
        while !isAtEnd {
            try watch.proceed()
            let bytes: [UInt8]
            do { bytes = try await read(Self.readBytes) } catch {
                // Rows that arrived before the interruption are complete, so they are written.
                if !watch.isCancelled() { try? await write(rows, watch) }
                throw error
            }
            isAtEnd = bytes.isEmpty
            if isAtEnd { try file.finish(into: &batch) } else { try file.feed(bytes.span, into: &batch) }
            imported.count(rejected: batch.rejected)
            try reject(batch.rejected)
            for record in batch.records { rows.append(record) }
            batch.removeAll()
            if rows.isMemoryFull || isAtEnd { rows = try await Self.stored(rows, isAll: isAtEnd) }
            if isAtEnd || rows.isFull {
                try await write(rows, watch)
                rows.removeAll()
            }
            imported.waiting = isAtEnd ? nil : rows.count
            watch.report(imported)
        }
    }

    /// Runs on a separate thread, for the same reason as ``RowsWriting``.
    private static func stored(_ rows: SubscriberRows, isAll: Bool) async throws -> SubscriberRows {
        try await withCheckedThrowingContinuation { continuation in
            RowsWriting.queue.async {
                continuation.resume(
                    with: Result {
                        var rows = rows
                        try isAll ? rows.storeRest() : rows.store()
                        return rows
                    })
            }
        }
    }

    private mutating func write(_ rows: SubscriberRows, _ watch: Watch<ImportedSubscribers>) async throws {
        guard !rows.isEmpty else { return }
        let before = imported
        let writing = RowsWriting(rows, into: app.id, operations, registers: registers)
        var isWritten = false
        for try await (counts, isLast) in writing.progress {
            imported = before
            imported.count(counts)
            imported.waiting = before.rows + rows.count - imported.rows
            watch.report(imported)
            isWritten = isLast
            if watch.isCancelled() { writing.stop() }
        }
        // If the task is cancelled, the progress stream ends before all rows are written.
        try Task.checkCancellation()
        if !isWritten { try watch.proceed() }
    }
}

/// Writes rows on a separate thread, because a task would block other tasks while it waits for the store.
private final class RowsWriting: Sendable {
    static let queue = DispatchQueue(label: "imported rows", attributes: .concurrent)
    private let isStopped = Mutex(false)

    /// The counts of the rows that are in the store so far, and whether these are all rows.
    let progress: AsyncThrowingStream<(ImportCounts, isLast: Bool), any Error>

    init(_ rows: SubscriberRows, into app: AppID, _ operations: Operations, registers: Bool) {
        let (progress, news) = AsyncThrowingStream.makeStream(
            of: (ImportCounts, isLast: Bool).self, bufferingPolicy: .bufferingNewest(1))
        self.progress = progress
        Self.queue.async { [self] in
            var throttle = BulkWriteThrottle(operations)
            do {
                let counts = try operations.store.subscriberImporter.upsert(
                    rows, into: app, at: operations.clock.moment(), registers: registers,
                    mayContinue: {
                        news.yield((ImportCounts(), isLast: false))
                        return !isStopped.withLock { $0 }
                    },
                    pause: {
                        news.yield(($0, isLast: false))
                        throttle.pause()
                    })
                if let counts { news.yield((counts, isLast: true)) }
                news.finish()
            } catch {
                news.finish(throwing: error)
            }
        }
    }

    /// Stops the import unless the rows are already being written.
    func stop() { isStopped.withLock { $0 = true } }
}
