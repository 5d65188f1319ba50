internal import PushAPI
internal import PushModel
internal import PushWire
internal import Synchronization

/// The tables that people have uploaded for an import. They are only in the memory of this process: a table
/// waits here until its columns have a meaning, and then for the download of its rejected rows. If a table is
/// gone, for example because the service was restarted, the person uploads the file again.
final class UploadedTables: Sendable {
    /// If the tables with their rejected rows exceed this size together, the oldest ones are forgotten.
    private static let maxBytes = 4 * MultipartForm.maxBytes
    private static let maxTables = 200
    private static let maxRejected = 50_000
    /// The approximate size of a rejected row.
    private static let rejectedBytes = 100
    private static let keptSeconds: Int64 = 3_600

    struct Entry: Sendable {
        let id: String
        /// Only this person can import the table.
        let person: String
        let app: String
        let liftsQuarantine: Bool
        let fileName: String
        let table: TableFile
        fileprivate let at: WallMoment
        fileprivate(set) var job: Int64?
        /// The rejected rows, at most ``UploadedTables/maxRejected``.
        fileprivate(set) var rejected: [RejectedRow] = []
        fileprivate var byteCount: Int { table.byteCount + rejected.count * UploadedTables.rejectedBytes }

        init(
            id: String, person: String, app: String, liftsQuarantine: Bool, fileName: String,
            table: TableFile, at: WallMoment
        ) {
            (self.id, self.person, self.app, self.liftsQuarantine) = (id, person, app, liftsQuarantine)
            (self.fileName, self.table, self.at) = (fileName, table, at)
        }
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ entry: Entry) {
        entries.withLock { entries in
            entries.removeAll { entry.at.seconds(since: $0.at) > Double(Self.keptSeconds) }
            entries.append(entry)
            Self.makeRoom(in: &entries)
        }
    }

    private static func makeRoom(in entries: inout [Entry]) {
        while entries.count > maxTables || entries.reduce(0, { $0 + $1.byteCount }) > maxBytes {
            entries.removeFirst()
        }
    }

    func entry(_ id: String, of person: String, at now: WallMoment) -> Entry? {
        first(at: now) { $0.id == id && $0.person == person }
    }

    func entry(ofJob job: Int64, of person: String, at now: WallMoment) -> Entry? {
        first(at: now) { $0.job == job && $0.person == person }
    }

    private func first(at now: WallMoment, where isWanted: (Entry) -> Bool) -> Entry? {
        entries.withLock { entries in
            entries.removeAll { now.seconds(since: $0.at) > Double(Self.keptSeconds) }
            return entries.first(where: isWanted)
        }
    }

    func set(job: Int64, of id: String) {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].job = job }
        }
    }

    func add(rejected rows: [RejectedRow], to id: String) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
            let room = Self.maxRejected - entries[index].rejected.count
            entries[index].rejected += rows.prefix(max(0, room))
            Self.makeRoom(in: &entries)
        }
    }

    /// Forgets the rejected rows of an earlier import of the table.
    func begin(_ id: String) {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].rejected = [] }
        }
    }
}
