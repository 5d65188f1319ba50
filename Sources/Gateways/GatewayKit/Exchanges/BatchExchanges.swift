package import PushModel
package import PushTransport
internal import PushWire

/// Sends requests of one account that carry several messages each, with one ``PushTransport/HTTPExchange``
/// per request. Counts the requests in progress.
///
/// **Promises.** The answer to a request is passed to the caller. If a request gets no answer, this class
/// reports one ending for each of its messages.
package final class BatchExchanges {
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let outcomeOfUnanswered: (UnansweredRequest) -> Outcome

    package private(set) var requestsUnderWay = 0 {
        didSet { shared?.inProgress += requestsUnderWay - oldValue }
    }
    private let shared: SharedRequests?
    /// The number of messages in the requests in progress.
    package private(set) var inFlight = 0
    private var answerTimes = LatencyCounts()
    private var isConnected = false

    /// - Parameters:
    ///   - shared: The count to which the requests in progress are added.
    ///   - outcome: Returns the outcome for each message of a request without an answer.
    package init(
        _ account: AccountID, loop: TransportLoop, events: any ConnectorEvents,
        shared: SharedRequests? = nil,
        outcomeOfUnanswered outcome: @escaping (UnansweredRequest) -> Outcome
    ) {
        (self.account, self.loop, self.events, self.shared) = (account, loop, events, shared)
        outcomeOfUnanswered = outcome
    }

    deinit { shared?.inProgress -= requestsUnderWay }

    package func takeAnswerTimes() -> LatencyCounts { answerTimes.take() }

    /// - Parameters:
    ///   - tags: The tags of the request's messages.
    ///   - answered: Reports the ending of each message, either with ``end(_:_:)``, or directly after calling
    ///     ``left(_:)``.
    package func send(
        _ request: HTTPRequest, _ tags: [UInt64], answered: @escaping (HTTPResponse) -> Void
    ) {
        inFlight += tags.count
        var request = request
        request.reuse = .allowed
        let endpoint = request.endpoint
        do {
            try HTTPExchange(loop: loop, request: request) { [weak self, sent = loop.now] result in
                guard let self else { return }
                requestsUnderWay -= 1
                switch result {
                case .failure(let failure): failed(failure, tags)
                case .response(let response):
                    hasAnswer(to: tags.count, from: endpoint, sent: sent)
                    answered(response)
                }
            }
            requestsUnderWay += 1
        } catch {
            events.refused(account, .connectionIsOurFault, reason: "\(error)")
            end(tags, .neverSent(.connectionIsOurFault, reason: "\(error)"))
        }
    }

    /// Stops counting this number of messages as in flight. The caller reports their endings.
    package func left(_ count: Int) { inFlight -= count }

    package func end(_ tags: [UInt64], _ outcome: Outcome) {
        left(tags.count)
        for tag in tags { events.ended(tag: tag, outcome) }
    }

    private func hasAnswer(to messages: Int, from endpoint: Endpoint, sent: Int64) {
        answerTimes.add(nanoseconds: loop.now - sent, count: messages)
        guard !isConnected else { return }
        isConnected = true
        events.connected(account, to: endpoint.description)
    }

    private func failed(_ failure: HTTPFailure, _ tags: [UInt64]) {
        let wasConnected = isConnected
        isConnected = false
        if failure.isCertificateFailure {
            events.refused(account, .connectionIsOurFault, reason: "\(failure)")
            return end(tags, .neverSent(.connectionIsOurFault, reason: "\(failure)"))
        }
        guard failure.kind == .neverSent else {
            // No request has been answered since the last failure, so further requests would fail too.
            if failure.isAbuse || !wasConnected && failure.cause == .timedOut {
                reportUnreachable(failure)
            } else if wasConnected {
                events.disconnected(account, because: "\(failure)")
            }
            return end(tags, outcomeOfUnanswered(.undecided(detail: "\(failure)")))
        }
        // The event is reported first, so that the account's messages, including these, are returned until
        // the gateway can be reached.
        if failure.cause != .connection(.tooManyOpenFiles) || !events.makeRoom(for: account) {
            reportUnreachable(failure)
        }
        end(tags, outcomeOfUnanswered(.neverSent(detail: "\(failure)")))
    }

    private func reportUnreachable(_ failure: HTTPFailure) {
        let outcome = outcomeOfUnanswered(.neverSent(detail: "\(failure)"))
        guard case .neverSent(let verdict, let reason) = outcome else { return }
        events.unreachable(account, verdict, reason: reason)
    }
}

extension Verdict {
    /// Nothing was sent, and nothing will be sent until an operator intervenes, as for an account that the
    /// gateway refuses.
    package static var connectionIsOurFault: Verdict {
        Verdict(
            scope: .account, schedule: .hold, countsAttempt: false, failureType: .ignored,
            failureReason: .refused,
            quarantine: .no)
    }
}
