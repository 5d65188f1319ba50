internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// A subscriber file on its way into the store, in two stages: while one chunk is written, the next is read and parsed.
///
/// **Promises.** Memory holds two chunks at most. What was written before a failure stays written.
struct SubscriberImport {
    private let importer: SubscriberImporter
    private let app: App
    private let storePath: String
    private let interruption: Interruption
    private(set) var counts = ImportCounts()

    private static let readBytes = 1 << 20
    /// How often a person who waits for a pipe's other end is heard.
    private static let patienceMilliseconds: Int32 = 250

    /// Somebody wants it to end.
    struct Interrupted: Error {}

    init(importer: SubscriberImporter, app: App, storePath: String, interruption: Interruption) {
        self.interruption = interruption
        self.importer = importer
        self.app = app
        self.storePath = storePath
    }

    mutating func run(from reader: inout FileReader, rejects: inout RejectLog) async throws {
        var writing: Task<ImportCounts, any Error>?
        do {
            try await parse(from: &reader, rejects: &rejects, writing: &writing)
        } catch {
            // The chunk at hand is good whatever happened to the next.
            if let last = try? await writing?.value { counts += last }
            throw error
        }
    }

    private mutating func parse(
        from reader: inout FileReader, rejects: inout RejectLog, writing: inout Task<ImportCounts, any Error>?
    ) async throws {
        var file = SubscriberCSV(platform: app.settings.platform)
        var batch = SubscriberBatch()
        var progress = ImportProgress()
        var isAtEnd = false
        while !isAtEnd {
            repeat {
                guard !interruption.isPending else { throw Interrupted() }
            } while !reader.hasBytes(withinMilliseconds: Self.patienceMilliseconds)
            let bytes = try reader.read(upTo: Self.readBytes)
            isAtEnd = bytes.isEmpty
            if isAtEnd { try file.finish(into: &batch) } else { try file.feed(bytes.span, into: &batch) }
            try rejects.take(batch.rejected)
            batch.rejected.removeAll(keepingCapacity: true)
            if isAtEnd || batch.records.count >= SubscriberImporter.idealChunk {
                if let chunk = writing { counts += try await chunk.value }
                writing = nil
                writing = write(batch.records)
                batch.records = []
                batch.records.reserveCapacity(SubscriberImporter.idealChunk)
            }
            progress.show(rows: counts.rows, bytes: reader.bytesRead, of: reader.totalBytes)
        }
        if let chunk = writing { counts += try await chunk.value }
        writing = nil
        progress.clear()
    }

    private func write(_ records: [SubscriberRecord]) -> Task<ImportCounts, any Error>? {
        guard !records.isEmpty else { return nil }
        let (importer, app, storePath) = (importer, app.id, storePath)
        return Task.detached {
            var courtesy = Courtesy(storePath: storePath)
            return try importer.upsert(records, into: app, at: Clocks.moment(), pause: { courtesy.pause() })
        }
    }
}

/// What a person sees of it.
private struct ImportProgress {
    private let start = Clocks.monotonic()
    private var line = ProgressLine()

    /// - Parameter rows: those that are in the store.
    mutating func show(rows: Int, bytes: Int, of total: Int?) {
        line.show { [start] in
            let seconds = max(0.001, Double(Clocks.monotonic().milliseconds(since: start)) / 1_000)
            var text = "\(Numerals.count(rows, "row")), \(Numerals.grouped(Int(Double(rows) / seconds)))/s"
            if let total, total > 0 { text += ", \(min(100, bytes * 100 / total)) % read" }
            return text
        }
    }

    mutating func clear() { line.clear() }
}
