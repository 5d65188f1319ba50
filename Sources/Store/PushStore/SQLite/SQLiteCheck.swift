internal import GRDB
internal import Glibc
internal import Synchronization

/// SQLite's own check of a whole database file: pages, rows, types and indexes.
struct SQLiteCheck {
    enum Finding: Equatable {
        case sound
        /// - Parameter what: The first fault, as worded by SQLite.
        case damaged(what: String)
        case ended
    }

    /// The path of the file. No other process may use it.
    let path: String

    private static let pollMicroseconds: UInt32 = 20_000

    /// Runs the check on another thread. SQLite reads all pages of a table in one step without calling back,
    /// but another thread can interrupt it.
    /// - Parameter proceed: Called every few milliseconds; `false` ends the check.
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
            // An interruption before the statement begins has no effect, so the interruption is repeated.
            if isEnded { queue.interrupt() }
            usleep(Self.pollMicroseconds)
        }
    }

    private final class Answer: Sendable {
        let value = Mutex<Result<String, any Error>?>(nil)
    }
}
