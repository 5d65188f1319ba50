/// How far a store of an earlier version has become one of this.
package struct MigrationProgress: Equatable, Sendable {
    package var partsDone = 0
    package var parts = 0
    /// Another process does it, and this one waits for it: said once.
    package var isAnothers = false
    package init() {}
}
