package import PushStore
internal import PushSystem

/// Errors that prevent a master from running. Each description is one line with the problem, the place and
/// the remedy.
package enum MasterError: Error, Equatable, CustomStringConvertible {
    case anotherMaster(lockFile: String)
    case childrenOutlived(lockFile: String, seconds: Int64)
    /// A file of the store, or a lock file, is not the one that was opened a moment ago.
    case fileChanged(FileChange)
    case noThread(name: String, errorNumber: Int32)
    /// A process listens there, but its answer is not one of this version.
    case otherVersion(socket: String)
    /// A gateway's secret in a file that serverConf.xml names.
    case secretFile(path: String, why: String)
    case system(what: String, path: String, errorNumber: Int32)

    package var description: String {
        switch self {
        case .anotherMaster(let lockFile):
            "another master serves this store (it holds \(lockFile)): stop it first, or give this one its own store"
        case .childrenOutlived(let lockFile, let seconds):
            "children of an earlier master still live after \(seconds) s (they hold \(lockFile)): end those processes"
        case .fileChanged(let change):
            "\(change) while a master opened it; leave the store's files alone while one runs, and start again"
        case .noThread(let name, let errorNumber):
            """
            cannot start the thread '\(name)': \(SystemErrorText.of(errorNumber)); raise the limits on memory \
            (ulimit -v, MemoryMax), stacks (ulimit -s) or threads (ulimit -u, TasksMax)
            """
        case .otherVersion(let socket):
            "the master at \(socket) does not answer as this version does: it is of another version, or has ended; use the "
                + "program that it runs, or restart it with this one"
        case .secretFile(let path, let why):
            "cannot use the secret in \(path): \(why); its first line is the secret, and only its owner may read it"
        case .system(let what, let path, let errorNumber):
            "cannot \(what) \(path): \(SystemErrorText.of(errorNumber))"
        }
    }
}
