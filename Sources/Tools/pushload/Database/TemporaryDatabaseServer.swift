internal import Glibc
internal import Synchronization

/// A PostgreSQL server in a temporary folder. It ends with this process, however the process ends, and its
/// folder is removed.
package final class TemporaryDatabaseServer: Sendable {
    package let server: DatabaseServer
    private let caretaker: Mutex<CleanupProcess>
    private let lastDatabase = Mutex(0)

    /// - Parameter parent: An existing folder. The path of a socket has at most 107 bytes, so the path must
    ///   be short.
    package init(below parent: String) throws(LoadError) {
        let folder = "\(parent)/pushmta-server-\(UInt32.random(in: 0 ... .max))"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw LoadError.system("mkdir", on: folder) }
        caretaker = Mutex(try CleanupProcess(of: folder, log: folder + "/caretaker", removes: true))
        server = try DatabaseServer(below: folder)
    }

    deinit {
        caretaker.withLock {
            $0.dismiss()
            $0.wait()
        }
    }

    /// Returns a name that no other database of this server has.
    package func newName() -> String {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        return "test\(number)"
    }
}
