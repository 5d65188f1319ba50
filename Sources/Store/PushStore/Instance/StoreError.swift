package import PushModel

/// The reason why the store did not do what was requested.
///
/// One line states what failed, where, and what to do. It never contains device tokens, payloads or secrets.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        // Failures of the file.
        case cannotOpen(why: String)
        case notAStore
        case newerVersion(unknown: String)
        /// The store was created before ``StoreSchema/migratingRelease``, and must be migrated by that
        /// release first.
        case formerVersion(lacks: String)
        /// An earlier version created the store, and the current operation must not migrate it.
        case olderVersion
        /// There is no store at the place where one was expected.
        case noStore
        case unfinishedCopy
        case unwritable
        /// The file has several hard links: SQLite would keep a separate log for each name.
        case manyNames(Int)
        case diskFull
        case corrupt(what: String)
        /// One row contains a value that this version does not know.
        case unreadableValue(during: String)
        /// Rows contradict each other; the file itself is intact.
        case unsound(what: String)
        case busy
        /// The commit failed, and the store could not be asked whether it took effect.
        case endUnknown(what: String)
        /// An SQLite result that has no separate case.
        case sqlite(code: Int32, during: String)
        // Failures of the server.
        /// There is no connection, or none that is suitable.
        case unreachable(why: String)
        case serverReadOnly
        /// A PostgreSQL error that has no separate case.
        /// - Parameter state: The SQLSTATE.
        case postgreSQL(state: String, during: String)
        case passwordFile(String, why: String)
        case instanceFolder(String, why: String)
        /// Another process has this host's id.
        case sameHost(id: String)
        /// Other hosts use an account on the server whose connections this host's account is not permitted to
        /// end.
        case accountOfOthers(name: String)
        // Failures of the instance's key.
        case keyExposed(path: String)
        case keyUnreadable(path: String, why: String)
        case keyMissing(path: String)
        case keyForeign(path: String)
        case credentialUnreadable(app: String)
        case secretUnreadable(webhook: String)
        // Refusals: nothing was changed.
        case unknown(Kind, name: String)
        case duplicate(Kind, name: String)
        /// - Parameter app: `nil` if the app belongs to a service that the caller must not learn about.
        case duplicateIntegrationKey(app: String?)
        /// - Parameter app: As in ``duplicateIntegrationKey(app:)``.
        case certificateSharedWith(app: String?)
        case inUse(app: String, delivery: DeliveryID)
        case hasSubscribers(app: String)
        case hasApps(service: String, app: String)
        case hasWebhook(service: String, webhook: String)
        /// The delivery's messages were removed, but its counts are kept.
        /// - Parameter on: The day, as text.
        case messagesRemoved(DeliveryID, on: String)
        /// The object has changed since it was checked, and must be checked again.
        case changedMeanwhile(app: String)
        /// Another caller has saved the draft since the present caller read it.
        case changedDraft(Int64)
        case limitReached(what: String)
        /// A text contains a NUL character. PostgreSQL can neither store nor compare it.
        case textWithNUL
        /// The target of a delivery cannot be accepted.
        /// - Parameter what: The fault, with its place in the document.
        case unfitTarget(what: String)
        // Refusals of a copy.
        case sameStore
        /// A master, or another copy, is using the store.
        case served
        case notEmpty
        case keyOfAnother(path: String)
        // Failures of backups.
        /// A file next to the store cannot be used.
        case file(path: String, why: String)
        case noSpace(path: String)
        /// A file that must not be overwritten exists at the path.
        /// - Parameter why: Follows the path in the error's text.
        case notReplaced(path: String, why: String)
        /// The file is not a backup that can be restored.
        /// - Parameter why: Follows the path in the error's text.
        case noBackup(path: String, why: String)
    }

    package enum Kind: String, Sendable {
        case service, app, delivery, part, token, webhook, template, person, draft
    }

    /// Advice that follows a system's error text about a file or a folder.
    static let pathAdvice = "check the path and its permissions"

    package let cause: Cause
    /// The store's file, or its server and database.
    package let path: String
    /// The delivery whose rows caused the error, if it is known.
    package private(set) var delivery: DeliveryID?

    package init(_ cause: Cause, path: String) {
        self.cause = cause
        self.path = path
    }

    /// Returns this error with the information that the rows of this delivery caused it.
    func met(in delivery: DeliveryID) -> StoreError {
        var error = self
        error.delivery = self.delivery ?? delivery
        return error
    }

    /// Whether the store refused what the caller requested. Otherwise, the store itself has a problem.
    package var isRefusal: Bool {
        switch cause {
        case .unknown, .duplicate, .duplicateIntegrationKey, .certificateSharedWith, .inUse, .hasSubscribers,
            .hasApps, .hasWebhook,
            .messagesRemoved, .changedMeanwhile, .changedDraft, .limitReached, .textWithNUL, .unfitTarget,
            .olderVersion, .noStore,
            .sameStore, .served, .sameHost, .accountOfOthers,
            .notEmpty,
            .keyOfAnother, .notReplaced, .noBackup:
            true
        default: false
        }
    }
}
