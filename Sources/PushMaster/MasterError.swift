/// What keeps a master from running. One line each: what, where, what to do.
package enum MasterError: Error, Equatable, CustomStringConvertible {
    case anotherMaster(lockFile: String)
    case childrenOutlived(lockFile: String, seconds: Int64)
    case system(what: String, path: String, errorNumber: Int32)

    package var description: String {
        switch self {
        case .anotherMaster(let lockFile):
            "another master serves this store (it holds \(lockFile)): stop it first, or give this one its own store"
        case .childrenOutlived(let lockFile, let seconds):
            "children of an earlier master still live after \(seconds) s (they hold \(lockFile)): end those processes"
        case .system(let what, let path, let errorNumber):
            "cannot \(what) \(path): \(SystemErrorText.of(errorNumber))"
        }
    }
}
