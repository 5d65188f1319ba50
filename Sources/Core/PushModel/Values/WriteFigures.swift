/// What a process's one writer of the store is busy with, and what it has done since it began.
package struct WriteFigures: Equatable, Sendable {
    /// One class of units.
    package struct Class: Equatable, Sendable {
        package var name: String
        package var waiting = 0
        /// Since when the oldest of those has waited.
        package var oldest: MonotonicTime?

        package init(name: String) { self.name = name }
    }

    /// How long groups took from their first statement to the end of their commit.
    package var commits = LatencyCounts()
    /// Rows that committed groups were to change, at most.
    package var rows: UInt64 = 0
    /// Groups that could not be committed.
    package var failures: UInt64 = 0
    /// Since when the group that is being written is; nil: none is.
    package var began: MonotonicTime?
    /// In the order of service.
    package var classes: [Class] = []

    package init() {}
}
