/// An error that a server or libpq returned instead of an answer.
enum PostgreSQLError: Error, Equatable {
    /// The SQLSTATE, five characters. The transaction has ended without any effect.
    case answer(state: String)
    /// The result of the last command is unknown.
    case lost(why: String)
    /// No connection could be made. No command was sent.
    case unreachable(why: String)
    /// The statement returns a column of a type that this version does not read.
    case unknownType(UInt32)

    /// insufficient_privilege
    static let notAllowed = "42501"
    /// lock_not_available
    static let lockNotAvailable = "55P03"
    /// character_not_in_repertoire. All texts are UTF-8, so the character is NUL.
    static let textWithNUL = "22021"
}

extension StoreError {
    /// Converts a PostgreSQL error into one for the operator. The server's own texts are omitted, because
    /// they may quote values.
    init(postgreSQL error: any Error, during what: String, place: String) {
        if let known = error as? StoreError {
            self = known
            return
        }
        if let damaged = error as? DamagedPart {
            let what = "part \(damaged.part) of delivery \(damaged.delivery): \(damaged.damage)"
            self = StoreError(.unsound(what: what), path: place).met(in: damaged.delivery)
            return
        }
        if error is ChangedMeanwhile {
            self.init(.busy, path: place)
            return
        }
        switch error as? PostgreSQLError {
        case .lost(let why)?, .unreachable(let why)?: self.init(.unreachable(why: why), path: place)
        case .answer(let state)?: self.init(Self.cause(ofState: state, during: what), path: place)
        case .unknownType(let type)?:
            self.init(.postgreSQL(state: "type \(type)", during: what), path: place)
        case nil: self.init(.unreadableValue(during: what), path: place)
        }
    }

    private static func cause(ofState state: String, during what: String) -> Cause {
        switch state {
        case "53100": .diskFull
        case "25006": .serverReadOnly
        case PostgreSQLError.lockNotAvailable: .busy
        case PostgreSQLError.textWithNUL: .textWithNUL
        case PostgreSQLError.notAllowed:
            .unreachable(
                why:
                    "the account lacks a privilege on the store's tables (SQLSTATE \(state)); GRANT it USAGE "
                    + "ON SCHEMA pushmta, ALL ON ALL TABLES IN SCHEMA pushmta and ALL ON ALL SEQUENCES IN "
                    + "SCHEMA pushmta, or make it their owner")
        case "XX001", "XX002": .corrupt(what: "found while trying to \(what)")
        default: .postgreSQL(state: state, during: what)
        }
    }
}
