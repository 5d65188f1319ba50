/// A connection's pipelined requests, and which side waits: the service, for the client's next request or the rest
/// of one, or the client, for an answer.
///
/// What a client has sent of a request is not read on while one before it is worked at, so that is no wait for the
/// client, however long the work takes. Each event says what holds from then on; nil: what held before.
package struct PipelinedRequests {
    package enum Wait: Equatable, Sendable { case forClient, forService }

    /// Requests that have come as a whole, less those that were answered. -1: one was answered before it had come.
    private var unanswered = 0

    package init() {}

    package mutating func headCame() -> Wait? { unanswered > 0 ? nil : .forClient }

    package mutating func endCame() -> Wait? {
        unanswered += 1
        return unanswered > 0 ? .forService : nil
    }

    package mutating func wasAnswered() -> Wait? {
        unanswered -= 1
        return unanswered > 0 ? nil : .forClient
    }
}
