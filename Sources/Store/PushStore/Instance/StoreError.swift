package import PushModel

/// Why the store did not do what it was asked.
///
/// One line says what, where and what to do. Device tokens, payloads and secrets never enter it.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        // The file.
        case cannotOpen(why: String)
        case notAStore
        case newerVersion(unknown: String)
        /// It was made before ``StoreSchema/migratingRelease``, which has the steps from there to here.
        case formerVersion(lacks: String)
        /// An earlier version made it, and it is not to be migrated here.
        case olderVersion
        /// There is nothing where a store was to be.
        case noStore
        case unfinishedCopy
        case unwritable
        /// Several hard links: SQLite would keep a log of its own for each name.
        case manyNames(Int)
        case diskFull
        case corrupt(what: String)
        /// A value that this version does not know, in one row.
        case unreadableValue(during: String)
        /// Rows that contradict each other; the file itself is whole.
        case unsound(what: String)
        case busy
        /// The commit failed, and the store could not be asked whether it was one.
        case endUnknown(what: String)
        /// An answer of SQLite that has no case of its own.
        case sqlite(code: Int32, during: String)
        // The server.
        /// There is no connection, or none that would do.
        case unreachable(why: String)
        case serverReadOnly
        /// An answer of PostgreSQL that has no case of its own. - Parameter state: SQLSTATE.
        case postgreSQL(state: String, during: String)
        case passwordFile(String, why: String)
        case instanceFolder(String, why: String)
        /// Another process has this host's id.
        case sameHost(id: String)
        /// Other hosts use an account of the server whose connections this one's may not end.
        case accountOfOthers(name: String)
        // The instance's key.
        case keyExposed(path: String)
        case keyUnreadable(path: String, why: String)
        case keyMissing(path: String)
        case keyForeign(path: String)
        case credentialUnreadable(app: String)
        case secretUnreadable(webhook: String)
        // Refusals: nothing was changed.
        case unknown(Kind, name: String)
        case duplicate(Kind, name: String)
        case duplicateIntegrationKey(app: String)
        case certificateSharedWith(app: String)
        case inUse(app: String, delivery: DeliveryID)
        case hasSubscribers(app: String)
        case hasApps(service: String, app: String)
        case hasWebhook(service: String, webhook: String)
        /// It has its counts still. - Parameter on: the day, in words.
        case messagesRemoved(DeliveryID, on: String)
        /// What was checked is not what it was: to be checked again.
        case changedMeanwhile(app: String)
        case limitReached(what: String)
        /// PostgreSQL stores no such text, and compares none.
        case textWithNUL
        /// A delivery's target cannot be taken. - Parameter what: with its place in the document.
        case unfitTarget(what: String)
        // Refusals of a copy.
        case sameStore
        /// A master has it, or another copy.
        case served
        case notEmpty
        case keyOfAnother(path: String)
        // Backups.
        /// A file beside the store cannot be used.
        case file(path: String, why: String)
        case noSpace(path: String)
        /// Something stands under a name that is not to be written over. - Parameter why: completes its path.
        case notReplaced(path: String, why: String)
        /// It is no backup that could be restored. - Parameter why: completes its path.
        case noBackup(path: String, why: String)
    }

    package enum Kind: String, Sendable { case service, app, delivery, part, token, webhook, template }

    package let cause: Cause
    /// The store's file, or its server and database.
    package let path: String
    /// Whose rows it met, where that is known.
    package private(set) var delivery: DeliveryID?

    package init(_ cause: Cause, path: String) {
        self.cause = cause
        self.path = path
    }

    /// The same, met in the rows of this delivery.
    func met(in delivery: DeliveryID) -> StoreError {
        var error = self
        error.delivery = self.delivery ?? delivery
        return error
    }

    /// Whether the caller asked for something that the store refuses, as opposed to the store being in
    /// trouble.
    package var isRefusal: Bool {
        switch cause {
        case .unknown, .duplicate, .duplicateIntegrationKey, .certificateSharedWith, .inUse, .hasSubscribers,
            .hasApps, .hasWebhook,
            .messagesRemoved, .changedMeanwhile, .limitReached, .textWithNUL, .unfitTarget,
            .olderVersion, .noStore,
            .sameStore, .served, .sameHost, .accountOfOthers,
            .notEmpty,
            .keyOfAnother, .notReplaced, .noBackup:
            true
        default: false
        }
    }
}
