internal import PushModel

/// A store that is open, as its engine has it: what ``Store`` needs beside its connections.
protocol StoreEngine: Sendable {
    /// The store's name in errors.
    var place: String { get }
    /// What names of the instance's own files begin with: locks, the control socket. A file of this name
    /// exists.
    var instancePath: String { get }
    /// Where the key is, or else where it is to be made.
    var keyPath: String { get }
    var writer: Connection { get }
    var reader: Connection { get }
    /// How outcomes wait for company.
    var gathering: WriteQueue.Gathering { get }
    /// A connection of its own for one thread that reads.
    func lone() throws(StoreError) -> Connection

    /// What became of what was opened; nil: it is what it was.
    func change() -> FileChange?
    /// Makes another connection where the one with the claim is lost; at once, and without a write.
    func stayConnected()
    /// Names by which the store can be opened; more than one is asking for damage.
    var nameCount: Int { get }
    /// nil where another process has it.
    func claim() throws(StoreError) -> (any StoreClaim)?
    /// nil where the store is one host's by its nature.
    func hostRegister() throws(StoreError) -> (any HostRegister)?
    /// See ``Store/announceChange()``.
    func announceChange()
    /// See ``Store/rescueLog()``.
    func rescueLog() throws(StoreError) -> Bool

    /// Makes a SQLite file of this name a copy of one moment of the store, marked as a backup, without keeping
    /// anybody waiting. The file need not be on disk when this returns.
    /// - Parameter proceed: called after each step; false ends it there.
    /// - Returns: whether it came to its end.
    func copy(
        to file: String, at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool

    /// How a commit comes to disk, in SQLite's words.
    func durability() throws(StoreError) -> StoreInspection.Durability
    /// The engine's plan of a statement: one text a step.
    func plan(of sql: String, _ db: any Session) throws -> [String]
}

/// What a store is opened for.
enum StorePurpose {
    /// Made where it is absent, and migrated.
    case use
    /// To be copied, as it is: it must be there, of this version and whole.
    case copySource
    /// To become a copy: what is new is marked as one that is not finished (``CopyMark``) before it has a
    /// table.
    case copyDestination
}

/// A master's claim on its store, which one process at a time has: given up when nobody holds it any more.
package protocol StoreClaim: AnyObject, Sendable {}
