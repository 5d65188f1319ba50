/// The current work of a process's only store writer, and the writer's totals since it started.
package struct WriteFigures: Equatable, Sendable {
    /// One class of units of work.
    package struct Class: Equatable, Sendable {
        package var name: String
        package var waiting = 0
        /// The time at which the oldest waiting unit began to wait.
        package var oldest: MonotonicTime?

        package init(name: String) { self.name = name }
    }

    /// The durations of groups, from their first statement to the end of their commit.
    package var commits = LatencyCounts()
    /// The maximum number of rows that the committed groups can have changed.
    package var rows: UInt64 = 0
    /// The number of groups that could not be committed.
    package var failures: UInt64 = 0
    /// The time at which the current group began; `nil` if no group is being written.
    package var began: MonotonicTime?
    /// The classes in the order in which they are served.
    package var classes: [Class] = []

    package init() {}
}
