internal import PushModel

extension StoreError {
    /// One line: what failed, where, and what to do.
    package var description: String {
        switch cause {
        case .cannotOpen(let why):
            "the store \(path) cannot be opened: \(why)"
        case .notAStore:
            "\(path) is not a PushMTA store; specify another place in dataSource/dbcnx"
        case .newerVersion(let unknown):
            "the store \(path) was written by a newer version (it contains \"\(unknown)\"); run that version"
        case .formerVersion(let lacks):
            """
            the store \(path) was created before version \(StoreSchema.migratingRelease) \
            (it lacks \"\(lacks)\"); open it once with version \(StoreSchema.migratingRelease), \
            which migrates it
            """
        case .olderVersion:
            """
            the store \(path) was created by an earlier version; open it once with this one ('pushmta \
            status'), then copy it
            """
        case .noStore:
            "there is no store at \(path); specify the store to copy"
        case .unfinishedCopy:
            "the store \(path) is an unfinished copy; run 'pushmta store copy' again, or remove it"
        case .unwritable:
            "the store \(path) cannot be written; check the permissions of the file and its folder"
        case .manyNames(let count):
            """
            the store \(path) has \(count) hard links, and a process that opens it through another hard link \
            would damage it; remove all hard links but one, or copy the file
            """
        case .diskFull:
            """
            no space is left for the store \(path); free some space and try again (the refused write \
            changed nothing)
            """
        case .corrupt(let what):
            "the store \(path) is damaged (\(what)); restore it from a backup"
        case .unreadableValue(let during):
            """
            the store \(path) contains a value that this version cannot read, found while trying to \
            \(during); use the version that wrote it, or restore the store from a backup
            """
        case .unsound(let what):
            "in the store \(path): \(what)"
        case .busy:
            "the store \(path) stayed locked by another process; try again when that process has finished"
        case .endUnknown(let what):
            """
            it is unknown whether the store \(path) completed \"\(what)\": the store failed at the end and \
            has not answered since; check the result before you repeat the operation
            """
        case .sqlite(let code, let during):
            "the store \(path) failed to \(during) (SQLite result \(code)); check the disk and try again"
        case .unreachable(let why):
            "the store \(path) cannot be reached: \(why)"
        case .serverReadOnly:
            """
            the server of the store \(path) does not accept writes at present; make it writable, or \
            specify the writable server
            """
        case .postgreSQL(let state, let during):
            "the store \(path) failed to \(during) (SQLSTATE \(state)); check the server's log"
        case .passwordFile(let file, let why):
            "the password file \(file) of the store \(path) cannot be used: \(why)"
        case .instanceFolder(let folder, let why):
            "the instance folder \(folder) cannot be used: \(why)"
        case .sameHost(let id):
            """
            another process has this host's id \(id) in the store \(path); give each host its own instance \
            folder, and copy only instance.key from one to the other
            """
        case .accountOfOthers(let name):
            """
            other hosts of the store \(path) use the account \(name.printable(atMost: 64)), and that \
            account and this host's account cannot end each other's connections if a host falls silent; \
            use the same account on all hosts
            """
        case .keyExposed(let key):
            "the instance key \(key) can be read by others; run chmod 600 on it"
        case .keyUnreadable(let key, let why):
            "the instance key \(key) cannot be used: \(why)"
        case .keyMissing(let key):
            "the instance key \(key) is missing, but the store \(path) was created with one; put the key back"
        case .keyForeign(let key):
            """
            the instance key \(key) is not the one that the store \(path) was created with; put the \
            original key back
            """
        case .credentialUnreadable(let app):
            "the credential of app \(app) in \(path) cannot be decrypted; set the credential of the app again"
        case .secretUnreadable(let webhook):
            """
            the secret of webhook \(webhook) in \(path) cannot be decrypted; rotate the secret of the \
            webhook
            """
        case .unknown(let kind, let name):
            "there is no \(kind.rawValue) \(name) in \(path)"
        case .duplicate(let kind, let name):
            "there is already \(kind.article) \(kind.rawValue) named \(name); choose another name"
        case .duplicateIntegrationKey(let app):
            """
            \(Self.named(app)) already has this integration key; devices register with it, so each app needs \
            its own
            """
        case .certificateSharedWith(let app):
            """
            \(Self.named(app)) in the other environment uses the same certificate; use a different \
            certificate for each environment
            """
        case .inUse(let app, let delivery):
            "app \(app) is used by delivery \(delivery), which has not ended; wait until it has ended"
        case .hasSubscribers(let app):
            """
            app \(app) has subscribers, whose tokens belong to its environment; create another app for \
            the other environment
            """
        case .hasApps(let service, let app):
            "service \(service) has app \(app); delete its apps first"
        case .hasWebhook(let service, let webhook):
            """
            webhook \(webhook) receives the events of service \(service); delete the webhook first, or \
            specify other services for it
            """
        case .messagesRemoved(let delivery, let day):
            """
            the messages of delivery \(delivery) were removed on \(day) (nmac/@retentionDays); \
            the counts of the delivery remain
            """
        case .changedMeanwhile(let app):
            "app \(app) was changed in the meantime; try again"
        case .changedDraft(let id):
            """
            draft \(id) has been saved by another caller since you read it; read it again, and save your \
            changes with its present version
            """
        case .limitReached(let what), .unfitTarget(let what):
            "\(what)"
        case .textWithNUL:
            "a text contains a NUL character, which PostgreSQL does not store; remove it"
        case .sameStore:
            "\(path) would be copied to itself; specify another place"
        case .served:
            """
            the store \(path) is served by a master or is being copied; stop the master or the copy, or \
            specify another place
            """
        case .notEmpty:
            """
            the store \(path) is already in use, and a copy needs a new or empty store; specify another \
            place
            """
        case .file(let file, let why):
            "the file \(file) cannot be used: \(why)"
        case .noSpace(let file):
            "no space is left for \(file); free some space and try again"
        case .notReplaced(let file, let why), .noBackup(let file, let why):
            "\(file) \(why)"
        case .keyOfAnother(let key):
            """
            the instance key \(key) does not belong to the copied store; specify another folder for \
            \(path), or remove that key
            """
        }
    }
}

extension StoreError {
    /// The description without paths of this machine, for callers on other machines.
    package var textWithoutPaths: String {
        ([path] + cause.paths).filter { !$0.isEmpty }.reduce(description) { text, path in
            [" in \(path)", " at \(path)", " of the store \(path)", " for \(path)", " \(path)"]
                .reduce(text) { $0.replacing($1, with: "") }.replacing(path, with: "a file of the instance")
        }
    }
}

extension StoreError.Cause {
    /// The paths other than the store's own.
    fileprivate var paths: [String] {
        switch self {
        case .keyExposed(let path), .keyUnreadable(let path, _), .keyMissing(let path), .keyForeign(let path),
            .keyOfAnother(let path), .file(let path, _), .noSpace(let path), .notReplaced(let path, _),
            .noBackup(let path, _), .passwordFile(let path, _), .instanceFolder(let path, _):
            [path]
        default: []
        }
    }
}

extension StoreError {
    fileprivate static func named(_ app: String?) -> String {
        app.map { "app \($0)" } ?? "an app of another service"
    }
}

extension StoreError.Kind {
    fileprivate var article: String { self == .app ? "an" : "a" }
}
