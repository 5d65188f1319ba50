internal import GRDB
internal import PushModel
internal import PushSystem

extension StoreError {
    /// Translates an SQLite error into its meaning for the operator. SQLite's own texts are left out because
    /// they may quote values.
    init(_ error: any Error, during what: String, path: String) {
        // The caller might not know which engine returned the error.
        guard let error = error as? DatabaseError else {
            self.init(postgreSQL: error, during: what, place: path)
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self.init(.diskFull, path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: self.init(.unwritable, path: path)
        case .SQLITE_CORRUPT: self.init(.corrupt(what: "found while trying to \(what)"), path: path)
        case .SQLITE_NOTADB: self.init(.notAStore, path: path)
        case .SQLITE_CANTOPEN where !PrivateFile.hasDescriptors:
            self.init(.cannotOpen(why: "too many open files: \(OpenFileLimit.advice)"), path: path)
        case .SQLITE_CANTOPEN:
            let why = FileOwnerHint.of(path) ?? "the file or its folder is not accessible; \(Self.pathAdvice)"
            self.init(.cannotOpen(why: why), path: path)
        default: self.init(.sqlite(code: error.extendedResultCode.rawValue, during: what), path: path)
        }
    }

    /// Translates an error that occurred while a store was being opened.
    init(opening error: any Error, path: String) {
        self.init(error, during: "open", path: path)
    }
}
