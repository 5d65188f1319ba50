internal import CBuildCommit
internal import PushStore

/// What this program is. A release changes ``text`` and CHANGELOG.md, and nothing else has the number.
enum ProductVersion {
    /// The semantic version, which is also `$(PRODUCT_VERSION)`. Before 1.0, a minor version may change what a
    /// user has to write.
    static let text = "0.8.0"

    /// In short, with a plus sign where files had been changed since; empty where the build was not told.
    static let commit = unsafe String(cString: push_build_commit())

    /// What `--version` prints.
    static let line = """
        pushmta \(text) (commit \(commit.isEmpty ? "unknown" : commit), \
        schema \(StoreSchema.sqlite) on SQLite, \(StoreSchema.postgreSQL) on PostgreSQL)
        """

    /// Tells builds apart: what differs here may differ in what it does.
    static let build = commit.isEmpty ? text : "\(text)+\(commit)"
}
