internal import GRDB
internal import Glibc
internal import Synchronization

/// SQLite's own examination of a whole database file: pages, rows, types and indexes.
struct SQLiteCheck {
    enum Finding: Equatable {
        case sound
        /// - Parameter what: the first fault, in SQLite's words.
        case damaged(what: String)
        case ended
    }

    /// Nobody else uses the file.
    let path: String

    private static let pollMicroseconds: UInt32 = 20_000

    /// - Parameter proceed: called every few milliseconds; false ends it.
    ///
    /// The examination runs on another thread: SQLite looks at all pages of a table in one step, in which it
    /// calls nobody back, but another thread can interrupt it.
    func run(_ proceed: () -> Bool) throws -> Finding {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { queue.leave() }
        let box = Answer()
        queue.asyncRead { db in
            let answer = Result { () throws -> String in
                try SQLiteSession(try db.get()).value(String.self, sql: "PRAGMA integrity_check(1)") ?? ""
            }
            box.value.withLock { $0 = answer }
        }
        var isEnded = false
        while true {
            if let answer = box.value.withLock({ $0 }) {
                if isEnded { return .ended }
                let what = try answer.get()
                return what == "ok" ? .sound : .damaged(what: what)
            }
            isEnded = isEnded || !proceed()
            // An interruption that comes before the statement begins is without effect, so there is another.
            if isEnded { queue.interrupt() }
            usleep(Self.pollMicroseconds)
        }
    }

    private final class Answer: Sendable {
        let value = Mutex<Result<String, any Error>?>(nil)
    }
}
