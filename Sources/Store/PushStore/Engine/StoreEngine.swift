internal import PushModel

/// An open store as its engine represents it: its connections, and everything else that ``Store`` needs.
protocol StoreEngine: Sendable {
    /// The store's name in errors.
    var place: String { get }
    /// The prefix of the names of the instance's own files: locks, the control socket. A file with exactly
    /// this name exists.
    var instancePath: String { get }
    /// The path of the key, or the path at which it will be created.
    var keyPath: String { get }
    var writer: Connection { get }
    var reader: Connection { get }
    /// How outcomes are gathered before they are written.
    var batching: WriteQueue.BatchingPolicy { get }
    /// Returns a separate connection for one thread that reads.
    func lone() throws(StoreError) -> Connection

    /// Returns the change to the files or the database since they were opened; `nil` if nothing has changed.
    func change() -> FileChange?
    /// If the connection that holds the claim is lost, makes another connection immediately instead of
    /// waiting for the next write.
    func stayConnected()
    /// The number of names by which the store can be opened. More than one name can lead to damage.
    var nameCount: Int { get }
    /// Returns `nil` if another process has the claim.
    func claim() throws(StoreError) -> (any StoreClaim)?
    /// Returns `nil` if the engine allows only one host.
    func hostRegister() throws(StoreError) -> (any HostRegister)?
    /// See ``Store/announceChange()``.
    func announceChange()
    /// See ``Store/rescueLog()``.
    func rescueLog() throws(StoreError) -> Bool

    /// Copies the store as it is at one moment to the SQLite file with this name, and marks the copy as a
    /// backup. Does not delay other processes. The file may not be on disk yet when this returns.
    /// - Parameter proceed: Called after each step; `false` ends the copy.
    /// - Returns: Whether the copy was completed.
    func copy(
        to file: String, at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool

    /// Returns how a commit reaches the disk, in SQLite's terms.
    func durability() throws(StoreError) -> StoreInspection.Durability
    /// Returns the engine's plan for a statement: one text per step.
    func plan(of sql: String, _ db: any Session) throws -> [String]
}

/// The purpose for which a store is opened.
enum StorePurpose {
    /// The store is to be used: it is created if it is absent, and migrated to this version.
    case use
    /// The store is to be copied, as it is: it must exist, have this version and be intact.
    case copySource
    /// The store is to become a copy: a new store is marked as unfinished (``CopyMark``) before its first
    /// table is created.
    case copyDestination
}

/// A master's claim on its store. Only one process at a time can have the claim. The claim is released when
/// no object refers to it any longer.
package protocol StoreClaim: AnyObject, Sendable {}
