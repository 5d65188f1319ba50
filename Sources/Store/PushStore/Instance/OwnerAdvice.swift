internal import Glibc
internal import PushSystem

/// Why a file of the instance cannot be opened, where that is because it belongs to another user: as of a store
/// that root made before the service's first start.
enum OwnerAdvice {
    /// - Parameter path: the store's file, or another beside it.
    /// - Returns: what is whose and what to do; nil where that is not the reason.
    static func of(_ path: String) -> String? {
        let own = geteuid()
        let folder = PrivateFile.folder(of: path)
        for name in [folder, path, StoreFiles.logPath(path), path + "-shm"] {
            var facts = stat()
            guard unsafe stat(name, &facts) == 0, facts.st_uid != own, unsafe access(name, R_OK | W_OK) != 0
            else { continue }
            return
                "\(name) belongs to \(UserName.of(facts.st_uid)), and this process is \(UserName.of(own)): "
                + "as root, chown -R \(UserName.of(own)) \(folder)"
        }
        return nil
    }
}
