/// What is to be done about an error of the store: the one table of it.
///
/// | remedy | met with |
/// |---|---|
/// | set aside | a constraint, a value that does not decode, rows that contradict each other: it fails for ever |
/// | wait | full, I/O, busy, read-only, cannot open, out of reach: all waits, it is told once and tried each second |
/// | try again | a schema that changed meanwhile, transactions that were in each other's way: at once |
/// | engine fault | no such table, not a database, a corrupt file: as wait, and nothing is ever set aside for it |
/// | refuse | the caller's mistake |
package enum WriteRemedy: Sendable, CaseIterable { case setAside, wait, tryAgain, engineFault, refuse }

extension StoreError {
    package var remedy: WriteRemedy {
        switch cause {
        case .unreadableValue, .unsound, .textWithNUL: .setAside
        case .diskFull, .busy, .unwritable, .cannotOpen, .manyNames: .wait
        case .unreachable, .serverReadOnly, .passwordFile, .instanceFolder: .wait
        case .corrupt, .notAStore, .newerVersion, .formerVersion, .unfinishedCopy: .engineFault
        case .keyExposed, .keyUnreadable, .keyMissing, .keyForeign, .credentialUnreadable, .secretUnreadable:
            .refuse
        case .unknown, .duplicate, .duplicateIntegrationKey, .certificateSharedWith, .inUse, .hasSubscribers,
            .hasApps, .hasWebhook,
            .messagesRemoved, .changedMeanwhile, .limitReached, .unfitTarget, .endUnknown, .olderVersion,
            .noStore,
            .sameStore, .served, .sameHost, .accountOfOthers,
            .notEmpty,
            .keyOfAnother, .file, .noSpace, .notReplaced, .noBackup:
            .refuse
        case .sqlite(let code, _): Self.remedy(ofSQLite: code)
        case .postgreSQL(let state, _): Self.remedy(ofPostgreSQL: state)
        }
    }

    /// Whether it says nothing of what was asked, but of the store: another process may find it well.
    package var isOfStore: Bool { remedy == .wait || remedy == .engineFault }

    /// Primary result codes of SQLite that have no cause of their own; the extended ones carry them in their
    /// last byte.
    private static func remedy(ofSQLite code: Int32) -> WriteRemedy {
        switch code & 0xff {
        // TOOBIG, CONSTRAINT, MISMATCH, RANGE
        case 18, 19, 20, 25: .setAside
        // ABORT, NOMEM, INTERRUPT, IOERR, PROTOCOL, NOLFS
        case 4, 7, 9, 10, 15, 22: .wait
        // SCHEMA
        case 17: .tryAgain
        // ERROR (no such table), INTERNAL, MISUSE, and what nobody has heard of
        default: .engineFault
        }
    }

    /// SQLSTATE without a cause of its own: most say by their class, the first two characters.
    private static func remedy(ofPostgreSQL state: String) -> WriteRemedy {
        switch state {
        // serialization_failure, deadlock_detected
        case "40001", "40P01": return .tryAgain
        // idle_in_transaction_session_timeout: this process stood still
        case "25P03": return .wait
        default: break
        }
        return switch state.prefix(2) {
        // data exception, integrity constraint violation, program limit exceeded (a key longer than an index
        // takes)
        case "22", "23", "54": .setAside
        // connection, insufficient resources, object not in the state wanted, operator intervention, system
        // error
        case "08", "53", "55", "57", "58": .wait
        // 42 (no such table, not allowed, a mistake in a text), and what nobody has heard of
        default: .engineFault
        }
    }
}
