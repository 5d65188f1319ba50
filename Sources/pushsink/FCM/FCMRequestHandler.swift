/// FCM at one connection: judges each request and words its answer.
package final class FCMRequestHandler: HTTPRequestHandler {
    private let gateway: FCMGateway
    private let caller: Caller
    /// What was decided of legacy requests that wait for their answer.
    private var batches: [Int32: LegacyBatch] = [:]

    init(_ gateway: FCMGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
    }

    package var streamsAtFirst: UInt32 { gateway.settings.streams }

    package func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        var answer: SinkAnswer
        switch FCMRoute(method: request.value(google: .method), path: request.value(google: .path)) {
        case .v1(let project): answer = decideV1(request, project, at: now)
        case .legacy: answer = decideLegacy(request, at: now)
        case nil: answer = SinkAnswer(.reject(GoogleError.rpc(404, "NOT_FOUND", "There is no such method.")))
        }
        answer.delay = answer.delay + gateway.settings.delay
        return answer
    }

    // MARK: v1

    private func decideV1(_ request: HTTPRequest, _ project: Range<Int>, at now: Instant) -> SinkAnswer {
        guard gateway.tokens.isGood(request.value(google: .authorization), at: now) else {
            return SinkAnswer(
                .reject(
                    GoogleError.rpc(
                        401, "UNAUTHENTICATED",
                        "The OAuth 2 access token is missing, expired or not one of ours.")))
        }
        guard let path = request.value(google: .path), Bytes(rebasing: path[project]).equals(gateway.project)
        else {
            return SinkAnswer(
                .reject(
                    GoogleError.rpc(
                        403, "PERMISSION_DENIED",
                        "Permission 'cloudmessaging.messages.create' denied on the project.")))
        }
        // Answers that blame the request count as well, those that blame the quota do not.
        if let seconds = gateway.quota.take(1, at: now) {
            return SinkAnswer(.reject(Self.overQuota(seconds)))
        }
        switch gateway.contract.judge(request.body, length: request.bodyLength, gateway.document) {
        case .fault(let rejection): return SinkAnswer(.reject(rejection))
        case .good(let message):
            let target = gateway.document.raw(message.target)
            request.mark =
                FCMMark(
                    token: target, in: request.body, isToken: message.isToken,
                    validateOnly: message.validateOnly
                ).raw
            return gateway.behave(
                SinkRequest(
                    device: target, connection: caller.connection, stream: request.stream, api: .fcmV1),
                at: now)
        }
    }

    private static func overQuota(_ seconds: Int) -> Rejection {
        var rejection = GoogleError.fcm("QUOTA_EXCEEDED")
        rejection.retryAfter = .seconds(seconds)
        return rejection
    }

    // MARK: Legacy

    private static var unauthorized: Rejection {
        Rejection(
            status: 401, reason: "Unauthorized",
            words: Rejection.Words(.html, "<html><title>401</title></html>\n"))
    }

    private func decideLegacy(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        guard let key = request.value(google: .authorization), key.equals(gateway.legacyAuthorization) else {
            return SinkAnswer(.reject(Self.unauthorized))
        }
        let document = gateway.document
        switch gateway.legacyContract.judge(request.body, length: request.bodyLength, document) {
        case .fault(let rejection): return SinkAnswer(.reject(rejection))
        case .good(let message):
            if let seconds = gateway.quota.take(max(1, message.tokens.count), at: now) {
                var rejection = Rejection(status: 429, reason: "QuotaExceeded")
                rejection.retryAfter = .seconds(seconds)
                return SinkAnswer(.reject(rejection))
            }
            var batch = LegacyBatch(isTopic: message.isTopic, dryRun: message.dryRun)
            var answer = SinkAnswer.accept
            if let error = message.error {
                batch.results = Array(repeating: .error(error), count: max(1, message.tokens.count))
                batch.tokens = message.tokens.map { Self.place(document.raw($0), in: request.body) }
                batches[request.stream] = batch
                return answer
            }
            for node in message.tokens {
                let token = document.raw(node)
                batch.tokens.append(Self.place(token, in: request.body))
                guard message.isTopic || document.isPlain(node) && FCMContract.isToken(token) else {
                    batch.results.append(.error("InvalidRegistration"))
                    continue
                }
                let said = gateway.behave(
                    SinkRequest(
                        device: token, connection: caller.connection, stream: request.stream, api: .fcmLegacy),
                    at: now)
                answer.delay = max(answer.delay, said.delay)
                answer.damage = answer.damage ?? said.damage
                batch.isShort = batch.isShort || said.isShort
                answer.drip = answer.drip ?? said.drip
                answer.fault = answer.fault ?? said.fault
                if let streams = said.streams {
                    (answer.streams, answer.streamsFor) = (streams, said.streamsFor)
                }
                switch said.act {
                case .accept:
                    batch.results.append(.accepted(gateway.nextMessage(), canonical: said.canonical))
                case .reject(let rejection) where rejection.status == 200:
                    batch.results.append(.error(rejection.reason))
                case .goAway:
                    batch.results.append(.accepted(gateway.nextMessage(), canonical: said.canonical))
                    answer.act = said.act
                default:
                    // Not of one token but of the whole request: the first such decides.
                    batches[request.stream] = nil
                    return said
                }
            }
            batches[request.stream] = batch
            return answer
        }
    }

    private static func place(_ part: Bytes, in body: Bytes) -> Range<Int> {
        guard let start = part.baseAddress, let base = body.baseAddress else { return 0..<0 }
        return (start - base)..<(start - base + part.count)
    }

    // MARK: Answers

    package func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        if let rejection { return Self.words(of: rejection) }
        if let batch = batches[request.stream] { return HTTPReply(status: 200, body: batch.json()) }
        let validatedOnly = FCMMark(raw: request.mark).validateOnly
        return HTTPReply(status: 200, body: gateway.name(validatedOnly: validatedOnly))
    }

    private static func words(of rejection: Rejection) -> HTTPReply {
        let words =
            rejection.words
            ?? GoogleError.words(rejection.status, rejection.reason, rejection.reason, [])
        var reply = HTTPReply(status: rejection.status, body: words.text)
        reply.content = words.content
        reply.retryAfter = rejection.retryAfter?.text(atSeconds: Int(wallMilliseconds() / 1000))
        return reply
    }

    // MARK: Records

    package func record(_ request: HTTPRequest, _ ending: Ending, at now: Instant) {
        gateway.counts.ended(ending, device: nil, idHash: 0, at: now)
        let isAccepted = ending == .accepted
        if let batch = batches.removeValue(forKey: request.stream) {
            if isAccepted { batch.count(in: gateway.counts, request.body) }
            gateway.log?.write(request, ending, batch, connection: caller.connection)
            return
        }
        let mark = FCMMark(raw: request.mark)
        if isAccepted {
            if mark.validateOnly {
                gateway.counts.validatedOnly += 1
            } else {
                gateway.counts.took(mark.isToken ? mark.token(in: request.body) : nil)
            }
        }
        gateway.log?.write(request, ending, mark, connection: caller.connection)
    }
}
