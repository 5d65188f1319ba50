/// FCM, v1 and legacy, as a gateway over HTTP: the state that all its connections share.
///
/// **Promises.** As for ``APNsGateway``, an accepted message is in the log and in the counts before its
/// answer is passed to TLS. **Failures.** None: faults of requests result in answers. **Neighbours.**
/// ``FCMContract`` and ``LegacyContract`` check requests, and ``AccessTokens`` knows which callers may send.
final class FCMGateway: HTTPGateway {
    struct Settings {
        /// The number of streams to advertise. "Google front ends usually advertise 100".
        var streams: UInt32 = 100
        /// The delay before every answer.
        var delay: Instant.Span = .zero
        /// The quota, in messages per minute. 0 means no limit.
        var messagesPerMinute = 0
    }

    let fields = RequestField.ofGoogle
    let identifierField: StaticString? = nil
    /// Space for a thousand tokens of two hundred bytes each, and a payload.
    let keptBody: UInt32 = 512 * 1024

    let settings: Settings
    let contract: FCMContract
    let project: [UInt8]
    /// The path of nearly all requests. Only requests with another path need to have their path parsed.
    let usualPath: [UInt8]
    /// The complete value of `authorization`; legacy API only.
    let legacyAuthorization: [UInt8]
    let tokens: AccessTokens
    let counts: SinkCounts
    let log: RequestLog?
    let document = JSONDocument()
    var quota: QuotaBucket
    fileprivate var behaviours: [any GatewayBehaviour]
    private var messagesSoFar = 0
    private let nameFront: String
    /// The last answer to an accepted v1 request. The next such answer differs only in ``number``.
    private var yes: [UInt8]
    private let number: Range<Int>

    init(
        settings: Settings, contract: FCMContract, project: String, legacyKey: String, tokens: AccessTokens,
        behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?
    ) {
        self.settings = settings
        self.contract = contract
        self.project = Array(project.utf8)
        usualPath = Array("/v1/projects/\(project)/messages:send".utf8)
        nameFront = #"{"name":"projects/\#(project)/messages/"#
        // The text after the number in message names. It distinguishes the messages of this sink from the
        // messages of earlier sinks.
        let instance = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        yes = Array("\(nameFront)0:0000000000000000%\(instance)\"}".utf8)
        let start = nameFront.utf8.count + 2
        number = start..<start + 16
        legacyAuthorization = Array("key=\(legacyKey)".utf8)
        counts.seen.messages = 0
        counts.seen.validatedOnly = 0
        counts.seen.resultErrors = [:]
        counts.seen.canonicalIDs = 0
        self.tokens = tokens
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
        quota = QuotaBucket(perMinute: settings.messagesPerMinute)
    }

    func handler(for caller: Caller) -> any HTTPRequestHandler { FCMRequestHandler(self, caller) }

    /// Returns the answer to an accepted v1 request. The message name in it has as many digits as Google's
    /// names.
    func name() -> [UInt8] {
        var rest = UInt(nextMessage())
        var place = number.upperBound
        while rest > 0, place > number.lowerBound {
            place -= 1
            yes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return yes
    }

    /// Returns the answer to a request with `validate_only`.
    func nameOfNone() -> String { nameFront + "fake_message_id\"}" }

    /// Returns a unique number for a message.
    func nextMessage() -> Int {
        messagesSoFar += 1
        return messagesSoFar
    }
}

/// FCM on one connection: checks each request and writes its answer.
final class FCMRequestHandler: HTTPRequestHandler {
    private let gateway: FCMGateway
    private let caller: Caller
    /// The decisions on legacy requests that wait for their answer.
    private var batches: [Int32: LegacyBatch] = [:]

    init(_ gateway: FCMGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
    }

    var streamsAtFirst: UInt32 { gateway.settings.streams }

    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        var answer = decideUndelayed(request, at: now)
        answer.delay = answer.delay + gateway.settings.delay
        return answer
    }

    private func decideUndelayed(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        let (method, path) = (request.value(.method), request.value(.path))
        if let method, let path, method.equals("POST"), path.equals(gateway.usualPath) {
            return decideV1(request, isOurs: true, at: now)
        }
        switch FCMRoute(method: method, path: path) {
        case .v1(let project):
            let isOurs = path.map { Bytes(rebasing: $0[project]).equals(gateway.project) } ?? false
            return decideV1(request, isOurs: isOurs, at: now)
        case .legacy: return decideLegacy(request, at: now)
        case nil: return .reject(GoogleError.rpc(404, "NOT_FOUND", "There is no such method."))
        }
    }

    // MARK: v1

    /// - Parameter isOurs: Whether the request is for the project of this gateway.
    private func decideV1(_ request: HTTPRequest, isOurs: Bool, at now: Instant) -> SinkAnswer {
        guard gateway.tokens.isGood(request.value(.authorization), at: now) else {
            return .reject(
                GoogleError.rpc(
                    401, "UNAUTHENTICATED",
                    "The OAuth 2 access token is missing, expired or unknown."))
        }
        guard isOurs else {
            return .reject(
                GoogleError.rpc(
                    403, "PERMISSION_DENIED",
                    "Permission 'cloudmessaging.messages.create' denied on the project."))
        }
        // Requests that are rejected because of their content use up quota, too. Requests that are rejected
        // because of the quota do not.
        if let seconds = gateway.quota.take(1, at: now) {
            return .reject(GoogleError.fcm("QUOTA_EXCEEDED").retried(after: .seconds(seconds)))
        }
        switch gateway.contract.judge(request.body, length: request.bodyLength, gateway.document) {
        case .fault(let rejection): return .reject(rejection)
        case .good(let target, let mark):
            request.part = target
            request.mark = mark.rawValue
            return behave(target, .fcmV1, request, at: now)
        }
    }

    // MARK: Legacy

    private func decideLegacy(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        guard let key = request.value(.authorization), key.equals(gateway.legacyAuthorization) else {
            let words = Rejection.ErrorBody(content: .html, text: "<html><title>401</title></html>\n")
            return .reject(Rejection(status: 401, reason: "Unauthorized", words: words))
        }
        switch LegacyContract.judge(request.body, length: request.bodyLength, gateway.document) {
        case .fault(let rejection): return .reject(rejection)
        case .good(let message):
            if let seconds = gateway.quota.take(max(1, message.tokens.count), at: now) {
                return .reject(
                    Rejection(status: 429, reason: "QuotaExceeded").retried(after: .seconds(seconds)))
            }
            return decideBatch(request, message, at: now)
        }
    }

    private func decideBatch(
        _ request: HTTPRequest, _ message: LegacyContract.Message, at now: Instant
    ) -> SinkAnswer {
        let document = gateway.document
        var batch = LegacyBatch(isTopic: message.isTopic, dryRun: message.dryRun)
        batch.tokens = message.tokens.map { Self.place(document.raw($0), in: request.body) }
        var answer = SinkAnswer.accept
        if let error = message.error {
            batch.results = Array(repeating: .error(error), count: max(1, message.tokens.count))
        }
        for node in message.error == nil ? message.tokens : [] {
            let token = document.raw(node)
            guard message.isTopic || document.isPlain(node) && FCMContract.isToken(token) else {
                batch.results.append(.error("InvalidRegistration"))
                continue
            }
            let said = behave(token, .fcmLegacy, request, at: now)
            answer.delay = max(answer.delay, said.delay)
            answer.damage = answer.damage ?? said.damage
            batch.isShort = batch.isShort || said.isShort
            answer.drip = answer.drip ?? said.drip
            answer.fault = answer.fault ?? said.fault
            if let streams = said.streams { (answer.streams, answer.streamsFor) = (streams, said.streamsFor) }
            switch said.act {
            case .accept, .goAway:
                batch.results.append(.accepted(gateway.nextMessage(), canonical: said.canonical))
                if said.act != .accept { answer.act = said.act }
            case .reject(let rejection) where rejection.status == 200:
                batch.results.append(.error(rejection.reason))
            // This answer concerns the whole request and not one token. The first such answer decides.
            default: return said
            }
        }
        batches[request.stream] = batch
        return answer
    }

    private func behave(
        _ device: Bytes, _ api: SinkRequest.API, _ request: HTTPRequest, at now: Instant
    ) -> SinkAnswer {
        guard !gateway.behaviours.isEmpty else { return .accept }
        return gateway.behaviours.behave(
            SinkRequest(device: device, connection: caller.connection, stream: request.stream, api: api),
            at: now)
    }

    private static func place(_ part: Bytes, in body: Bytes) -> Range<Int> {
        guard let start = part.baseAddress, let base = body.baseAddress else { return 0..<0 }
        return (start - base)..<(start - base + part.count)
    }

    // MARK: Answers

    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        if let rejection {
            return HTTPReply(
                rejection, orElse: GoogleError.words(rejection.status, rejection.reason, rejection.reason, [])
            )
        }
        if !batches.isEmpty, let batch = batches[request.stream] {
            return HTTPReply(status: 200, json: batch.json())
        }
        let validatesOnly = FCMMark(rawValue: request.mark).contains(.validateOnly)
        return validatesOnly
            ? HTTPReply(status: 200, json: gateway.nameOfNone())
            : HTTPReply(status: 200, body: gateway.name())
    }

    // MARK: Records

    func record(_ request: HTTPRequest, _ ending: RequestOutcome, at now: Instant) {
        gateway.counts.ended(ending, device: nil, idHash: 0, at: now)
        let isAccepted = ending == .accepted
        if !batches.isEmpty, let batch = batches.removeValue(forKey: request.stream) {
            if isAccepted { batch.count(in: gateway.counts, request.body) }
            gateway.log?.write(request, ending, batch, connection: caller.connection)
            return
        }
        let mark = FCMMark(rawValue: request.mark)
        if isAccepted {
            if mark.contains(.validateOnly) {
                gateway.counts.seen.validatedOnly? += 1
            } else {
                gateway.counts.took(mark.contains(.isToken) ? request.part : nil)
            }
        }
        gateway.log?.write(request, ending, mark, connection: caller.connection)
    }
}

/// The properties of a v1 request that are remembered until the request ends. The target is remembered
/// separately, as a part of the body.
package struct FCMMark: OptionSet {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let isToken = FCMMark(rawValue: 1)
    package static let validateOnly = FCMMark(rawValue: 2)
}

/// The FCM API that a request is for.
package enum FCMRoute: Equatable {
    /// The range of the project's name in the path.
    case v1(project: Range<Int>)
    case legacy

    private static let front: StaticString = "/v1/projects/"
    private static let back: StaticString = "/messages:send"

    /// Returns `nil` if there is no API at this path. The query of the path is ignored.
    package init?(method: Bytes?, path: Bytes?) {
        guard let method, method.equals("POST"), let path else { return nil }
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.count
        let place = Bytes(rebasing: path[..<end])
        if place.equals("/fcm/send") {
            self = .legacy
            return
        }
        let from = Self.front.utf8CodeUnitCount, to = place.count - Self.back.utf8CodeUnitCount
        guard place.starts(with: Self.front), to > from, place.from(to).equals(Self.back),
            !place[from..<to].contains(UInt8(ascii: "/"))
        else { return nil }
        self = .v1(project: from..<to)
    }
}
