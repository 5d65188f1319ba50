/// A connection's pipelined requests, and which side waits: the service for the client, or the client for an
/// answer.
///
/// While the server works on a request, it does not read the next request. This time does not count as
/// waiting for the client, however long the work takes. Each method that reports an event returns the new
/// wait, or `nil` if the wait is unchanged.
package struct PipelinedRequests {
    package enum Wait: Equatable, Sendable {
        /// The service waits for the first request or for the rest of a request.
        case forRequest
        /// The service waits between two requests.
        case forNextRequest
        /// The service waits for the client to read its answers, even if the client has sent further
        /// requests.
        case forReader
        case forService
    }

    /// The number of requests that have arrived completely, minus the number of answered requests. -1 if a
    /// request was answered before it had arrived completely.
    private var unanswered = 0
    private var isWithinRequest = false
    private var isRead = true
    /// The wait that applies while the client reads its answers.
    private var wait = Wait.forRequest

    /// Whether the client sends further requests without waiting for an answer.
    package var areSeveral: Bool { unanswered > 1 }

    package init() {}

    package mutating func headCame() -> Wait? {
        isWithinRequest = true
        return unanswered > 0 ? nil : note(.forRequest)
    }

    package mutating func endCame() -> Wait? {
        unanswered += 1
        isWithinRequest = false
        return unanswered > 0 ? note(.forService) : nil
    }

    package mutating func wasAnswered() -> Wait? {
        unanswered -= 1
        return unanswered > 0 ? nil : note(isWithinRequest ? .forRequest : .forNextRequest)
    }

    /// - Parameter isRead: Whether the client is reading its answers. If not, nothing more can be written to
    ///   it.
    package mutating func became(isRead: Bool) -> Wait? {
        guard isRead != self.isRead else { return nil }
        self.isRead = isRead
        return isRead ? wait : .forReader
    }

    private mutating func note(_ wait: Wait) -> Wait? {
        self.wait = wait
        return isRead ? wait : nil
    }
}
