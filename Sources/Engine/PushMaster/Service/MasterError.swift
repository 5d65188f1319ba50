internal import Glibc
package import PushStore
internal import PushSystem

/// Errors that prevent a master from running. Each description is one line with the problem, the place and
/// the remedy.
package enum MasterError: Error, Equatable, CustomStringConvertible {
    case anotherMaster(lockFile: String)
    case childrenOutlived(lockFile: String, seconds: Int64)
    /// A file of the store, or a lock file, is not the file that was opened a moment ago.
    case fileChanged(FileChange)
    case noThread(name: String, errorNumber: Int32)
    /// A process listens on the socket, but its answer does not have the form that this version expects.
    case otherVersion(socket: String)
    /// A gateway's secret cannot be read from the file that serverConf.xml names.
    case secretFile(path: String, why: String)
    case system(what: String, path: String, errorNumber: Int32)

    package var description: String {
        switch self {
        case .anotherMaster(let lockFile):
            """
            another master is serving this store (it holds \(lockFile)): stop it first, or configure a \
            different store for this one
            """
        case .childrenOutlived(let lockFile, let seconds):
            """
            children of an earlier master are still running after \(seconds) s (they hold \(lockFile)): \
            end those processes
            """
        case .fileChanged(let change):
            """
            \(change) while a master was opening it; do not touch the store's files while a master runs, \
            and start again
            """
        case .noThread(let name, let errorNumber):
            """
            cannot start the thread '\(name)': \(SystemErrorText.of(errorNumber)); raise the limits on \
            memory \
            (ulimit -v, MemoryMax), stacks (ulimit -s) or threads (ulimit -u, TasksMax)
            """
        case .otherVersion(let socket):
            "the master at \(socket) gave an answer that this version cannot read: that master has another "
                + "version, or has ended; use the master's version of the program, or restart the master "
                + "with this version"
        case .secretFile(let path, let why):
            """
            cannot use the secret in \(path): \(why); its first line must be the secret, and only its \
            owner must be able to read it
            """
        case .system(let what, let path, let errorNumber):
            "cannot \(what) \(path): \(SystemErrorText.of(errorNumber))"
                + (errorNumber == EACCES || errorNumber == EPERM
                    ? "; check the owner and the permissions of the file and its folder" : "")
        }
    }
}
