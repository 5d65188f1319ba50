/// The requests that several accounts of one child have in progress together, under one limit. It is used on
/// the child's thread only.
///
/// Each connector counts its own requests here and begins none while ``free`` is 0. The child's accounts take
/// turns, so each of them gets its share of the places that become free.
package final class SharedRequests {
    /// The maximum number of requests in progress; 0 means no limit.
    package var limit = 0
    package var inProgress = 0

    package init() {}

    /// The number of requests that may begin now.
    @inlinable
    package var free: Int { limit > 0 ? max(limit - inProgress, 0) : .max }
}
