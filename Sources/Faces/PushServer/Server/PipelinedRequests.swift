/// A connection's pipelined requests, and which side waits: the service, for the client, or the client, for
/// an answer.
///
/// While one request is worked at, the server does not read on in the next one, so that is no wait for the
/// client, however long the work takes. Each event returns what holds from then on; nil: what held before.
package struct PipelinedRequests {
    package enum Wait: Equatable, Sendable {
        /// For a first request, or for the rest of one.
        case forRequest
        /// Between two requests.
        case forNextRequest
        /// For the client to read its answers, whatever else it has asked.
        case forReader
        case forService
    }

    /// Requests that have come as a whole, less those that were answered. -1: one was answered before it had come.
    private var unanswered = 0
    private var isWithinRequest = false
    private var isRead = true
    /// What holds if the client reads.
    private var wait = Wait.forRequest

    /// Whether the client asks on without waiting for an answer.
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

    /// - Parameter isRead: whether the client reads: more can be written to it.
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
