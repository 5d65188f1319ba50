/// The reaction to an error of the store. This is the only such table.
///
/// - set aside: a constraint, a value that does not decode, rows that contradict each other; permanent
/// - wait: full, I/O, busy, read-only, cannot be opened or reached; everything waits, the error is reported
///   once, and the write is retried each second
/// - try again: a schema that changed in the meantime, transactions that conflicted; retried immediately
/// - engine fault: no such table, not a database, a corrupt file; treated like "wait"
/// - refuse: a mistake of the caller
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
            .messagesRemoved, .changedMeanwhile, .changedDraft, .limitReached, .unfitTarget, .endUnknown,
            .olderVersion,
            .noStore,
            .sameStore, .served, .sameHost, .accountOfOthers,
            .notEmpty,
            .keyOfAnother, .file, .noSpace, .notReplaced, .noBackup:
            .refuse
        case .sqlite(let code, _): Self.remedy(ofSQLite: code)
        case .postgreSQL(let state, _): Self.remedy(ofPostgreSQL: state)
        }
    }

    /// Whether the error concerns the store and not the request. Another process may be able to use the
    /// store.
    package var isOfStore: Bool { remedy == .wait || remedy == .engineFault }

    /// Returns the remedy for SQLite's primary result codes that have no separate cause. Extended codes
    /// contain them in their last byte.
    private static func remedy(ofSQLite code: Int32) -> WriteRemedy {
        switch code & 0xff {
        // TOOBIG, CONSTRAINT, MISMATCH, RANGE
        case 18, 19, 20, 25: .setAside
        // ABORT, NOMEM, INTERRUPT, IOERR, PROTOCOL, NOLFS
        case 4, 7, 9, 10, 15, 22: .wait
        // SCHEMA
        case 17: .tryAgain
        // ERROR (no such table), INTERNAL, MISUSE, and unknown codes
        default: .engineFault
        }
    }

    /// Returns the remedy for a SQLSTATE that has no separate cause. For most SQLSTATEs, the class (the first
    /// two characters) is sufficient.
    private static func remedy(ofPostgreSQL state: String) -> WriteRemedy {
        switch state {
        // serialization_failure, deadlock_detected
        case "40001", "40P01": return .tryAgain
        // idle_in_transaction_session_timeout: this process was stalled
        case "25P03": return .wait
        default: break
        }
        return switch state.prefix(2) {
        // data exception, integrity constraint violation, program limit exceeded (for example, a key too long
        // for an index)
        case "22", "23", "54": .setAside
        // connection, insufficient resources, object not in the required state, operator intervention, system
        // error
        case "08", "53", "55", "57", "58": .wait
        // 42 (no such table, not allowed, a syntax error), and unknown codes
        default: .engineFault
        }
    }
}
