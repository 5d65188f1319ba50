/// APNs at one connection: who is there, and what becomes of each request.
package final class APNsRequestHandler: HTTPRequestHandler {
    private let gateway: APNsGateway
    private let caller: Caller
    /// A token-based connection that has not yet had a success.
    private var isOnProbation: Bool
    private var token: (number: Int, since: Instant)?

    init(_ gateway: APNsGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
        isOnProbation = caller.certificate == .none
    }

    package var streamsAtFirst: UInt32 {
        isOnProbation ? gateway.settings.streamsAtFirst : gateway.settings.streams
    }

    package func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        var answer: SinkAnswer
        if let fault = fault(of: request, at: now) {
            answer = SinkAnswer(.reject(fault.rejection))
        } else if gateway.quota.take(1, at: now) != nil {
            answer = SinkAnswer(.reject(Rejection(status: 429, reason: "TooManyRequests")))
        } else if gateway.behaviours.isEmpty {
            answer = .accept
        } else {
            answer = gateway.behave(
                SinkRequest(
                    device: request.deviceToken, connection: caller.connection, stream: request.stream),
                at: now)
        }
        answer.delay = answer.delay + gateway.settings.delay
        return answer
    }

    private func fault(of request: HTTPRequest, at now: Instant) -> APNsReason? {
        if let fault = gateway.contract.faultOfRoute(request) { return fault }
        switch caller.certificate {
        case .none:
            if let fault = faultOfToken(request.value(.authorization), at: now) { return fault }
            return gateway.contract.fault(request)
        case .valid(let uid):
            // "authorization" beside a certificate is ignored.
            return uid.isEmpty ? .badCertificate : gateway.contract.fault(request, certificateTopic: uid)
        case .invalid:
            return .badCertificate
        }
    }

    private func faultOfToken(_ authorization: Bytes?, at now: Instant) -> APNsReason? {
        switch gateway.tokens.judge(authorization, at: gateway.wallSeconds(at: now)) {
        case .fault(let reason): return reason
        case .valid(let number):
            if let token, token.number != number {
                if now.since(token.since) < gateway.settings.tokenChangesEvery {
                    return .tooManyProviderTokenUpdates
                }
                self.token = (number, now)
            } else if token == nil {
                token = (number, now)
            }
            return nil
        }
    }

    package func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        noteID(on: request)
        guard let rejection else {
            guard isOnProbation else { return HTTPReply(status: 200) }
            isOnProbation = false
            let widens = gateway.settings.streams != gateway.settings.streamsAtFirst
            return HTTPReply(status: 200, streams: widens ? gateway.settings.streams : nil)
        }
        let timestamp = rejection.timestamp ?? (rejection.status == 410 ? wallMilliseconds() : nil)
        let reason = ReasonEscapes.json(rejection.reason)
        let body = timestamp.map { #"{"reason":"\#(reason)","timestamp":\#($0)}"# }
        var reply = HTTPReply(status: rejection.status, body: body ?? #"{"reason":"\#(reason)"}"#)
        reply.retryAfter = rejection.retryAfter?.text(atSeconds: Int(wallMilliseconds() / 1000))
        return reply
    }

    private func noteID(on request: HTTPRequest) {
        let id = request.value(.identifier).flatMap(Hex.uuid)
        if let id { request.mark = Bytes.mixed(id.high ^ Bytes.mixed(id.low)) | 1 }
        Hex.write(uuid: id ?? gateway.newID(), to: request.note)
    }

    package func record(_ request: HTTPRequest, _ ending: Ending, at now: Instant) {
        gateway.counts.ended(
            ending, device: request.deviceToken, idHash: request.mark, at: now)
        gateway.log?.write(request, ending, connection: caller.connection)
    }
}
