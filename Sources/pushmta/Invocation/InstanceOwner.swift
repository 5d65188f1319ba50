internal import Glibc
internal import PushSystem

/// Whose an instance is: the owner of its folder, whom the service runs as.
enum InstanceOwner {
    /// What root makes in another user's instance belongs to root, and the service could not open it.
    /// - Parameter path: what names of the instance's files begin with.
    /// - Throws: where this process is root and the instance another's.
    static func refuseRoot(at path: String) throws(CommandFailure) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        let folder = AbsolutePath.folder(of: path)
        guard unsafe stat(folder, &facts) == 0, facts.st_uid != 0 else { return }
        let owner = UserName.of(facts.st_uid)
        throw .failed(
            "the instance in \(folder) belongs to \(owner), and what root makes there \(owner) cannot open: run it as "
                + "that user, sudo -u \(owner) pushmta …")
    }
}
