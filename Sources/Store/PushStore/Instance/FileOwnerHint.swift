internal import Glibc
internal import PushSystem

/// Explains why a file of the instance cannot be opened, if the reason is that it belongs to another user,
/// for example because root created the store before the service's first start.
enum FileOwnerHint {
    /// - Parameter path: The store's file, or another file next to it.
    /// - Returns: The owners and what to do; `nil` if this is not the reason.
    static func of(_ path: String) -> String? {
        let own = geteuid()
        let folder = PrivateFile.folder(of: path)
        for name in [folder, path, StoreFiles.logPath(path), path + "-shm"] {
            var facts = stat()
            guard unsafe stat(name, &facts) == 0, facts.st_uid != own, unsafe access(name, R_OK | W_OK) != 0
            else { continue }
            return
                "\(name) belongs to \(UserName.of(facts.st_uid)), but this process runs as "
                + "\(UserName.of(own)): \(advice(onFolder: folder, user: own))"
        }
        return nil
    }

    /// The service runs as the owner of the folder, and would fail if the files in the folder were given to
    /// another user. Therefore, a change of owner is advised only if the folder already belongs to this user,
    /// or if it belongs to root, which may be a mistake.
    private static func advice(onFolder folder: String, user: uid_t) -> String {
        let change = "as root, run chown -R \(UserName.of(user)) \(folder)"
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0, facts.st_uid != user else {
            return "stop the service if it uses the store; then, \(change)"
        }
        guard facts.st_uid == 0 else {
            return "run the command as that user: \(UserName.sudo(as: facts.st_uid, "pushmta …"))"
        }
        return "run the command as root; or, if root created the folder by mistake and no service uses it, "
            + change
    }
}
