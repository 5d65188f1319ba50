internal import CBuildCommit
internal import PushStore

/// The identity of this program. A release changes ``text`` and CHANGELOG.md; the number appears nowhere
/// else.
enum ProductVersion {
    /// The semantic version, which is also `$(PRODUCT_VERSION)`. Before 1.0, a minor version may change the
    /// input that users have to write.
    static let text = "0.8.0"

    /// The abbreviated commit, followed by a plus sign if files had been changed since that commit. Empty if
    /// the build did not receive a commit.
    static let commit = unsafe String(cString: push_build_commit())

    /// The text that `--version` prints.
    static let line = """
        pushmta \(text) (commit \(commit.isEmpty ? "unknown" : commit), \
        schema \(StoreSchema.sqlite) on SQLite, \(StoreSchema.postgreSQL) on PostgreSQL)
        """

    /// The identity of the build. Programs with different values may behave differently.
    static let build = commit.isEmpty ? text : "\(text)+\(commit)"
}
