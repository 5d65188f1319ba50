/// The server's side of HTTP/1.1 on one connection. It processes one request at a time, and further requests
/// wait.
///
/// **Promises.** As in ``HTTP2Conversation``, every request that arrived completely gets exactly one
/// ``RequestOutcome``. Requests are numbered from 1. **Failures.** A peer that breaks the protocol gets an
/// error status, and its connection is closed. Some actions have no equivalent in HTTP/1.1: instead of
/// refusing a stream, the conversation closes the connection without an answer, and instead of a GOAWAY, it
/// sends `Connection: close`.
final class HTTP1Conversation: Conversation {
    private(set) var disposition = Disposition.continues

    private let kind: HTTP2Kind
    private let handler: any HTTPRequestHandler
    private let counts: SinkCounts
    private unowned let host: any ConversationHost
    private let made: SyntheticRequest
    private var request: HTTPRequest { made.request }
    private let fields: [String: RequestField]
    private var decoder: HTTP1Decoder
    private var output = Outbox()
    private var closesWhenSent = false

    private enum State { case listening, waiting(SinkAnswer?), ignoring }
    private var state = State.listening
    private var staysOpen = true

    /// The maximum number of bytes of later requests that a client may send while the answer to the first
    /// request is not due yet.
    private static let maxAhead = 1 << 20
    /// The ticket of an alarm. It cannot be the number of a request, because these numbers begin with 1.
    private static let deafnessTicket: Int32 = 0
    private static let floodTicket = Int32.max
    private var flood: FloodSource?

    init(_ kind: HTTP2Kind, caller: Caller, host: any ConversationHost) {
        self.kind = kind
        counts = kind.gateway.counts
        self.host = host
        handler = kind.gateway.handler(for: caller)
        fields = Dictionary(uniqueKeysWithValues: kind.gateway.fields.map { ($0.name, $0) })
        // The decoder accepts one byte more than the gateway keeps, which distinguishes a body that is too
        // large from a body that just fits.
        decoder = HTTP1Decoder(bodyLimit: Int(kind.gateway.keptBody) + 1)
        made = SyntheticRequest(keeping: kind.gateway.keptBody)
    }

    // MARK: Conversation

    func receive(_ bytes: Bytes) {
        guard disposition == .continues, !closesWhenSent else { return }
        decoder.feed(bytes)
        readOn()
        if decoder.waiting > Self.maxAhead + Int(kind.gateway.keptBody) { disposition = .reset }
    }

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard disposition != .reset else { return 0 }
        let count = output.fill(room)
        if count == 0, flood != nil { return flood?.fill(room) ?? 0 }
        if output.isEmpty, closesWhenSent, disposition == .continues { disposition = .closes }
        return count
    }

    func alarm(_ ticket: Int32, at now: Instant) {
        if ticket == Self.deafnessTicket, disposition == .continues { disposition = .closes }
        if ticket == Self.floodTicket, flood != nil { return continueFlood() }
        guard case .waiting(let answer?) = state, ticket == request.stream, disposition == .continues else {
            return
        }
        state = .waiting(nil)
        perform(answer, at: now)
        readOn()
    }

    func end() {
        switch state {
        case .waiting: finish(disposition == .continues ? .cancelled : .cut, at: host.now)
        case .ignoring: kind.leave()
        case .listening: break
        }
        state = .listening
    }

    // MARK: Requests

    private func readOn() {
        while case .listening = state, disposition == .continues, !closesWhenSent {
            do throws(HTTP1Problem) {
                guard let message = try decoder.next() else {
                    if decoder.takeContinue() { say("HTTP/1.1 100 Continue\r\n\r\n") }
                    return
                }
                arrived(message)
            } catch {
                counts.seen.protocolErrors += 1
                say(
                    "HTTP/1.1 \(error.status) \(error.text)\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                )
                closesWhenSent = true
            }
        }
    }

    private func arrived(_ message: HTTP1Message) {
        made.begin()
        made.add(.method, message.method)
        made.add(.path, message.target)
        for field in message.fields {
            if let known = fields[field.name] { made.add(known, field.value) }
        }
        made.add(body: message.body)
        staysOpen = message.staysOpen
        kind.enter()
        let now = host.now
        counts.arrived(at: now)
        state = .waiting(nil)
        let answer = handler.decide(request, at: now)
        if answer.delay == .zero {
            perform(answer, at: now)
        } else {
            state = .waiting(answer)
            host.setAnswerAlarm(request.stream, after: answer.delay)
        }
    }

    // MARK: Answers

    private func perform(_ answer: SinkAnswer, at now: Instant) {
        if let drip = answer.drip { host.drip(drip) }
        // The fault `narrow` is not counted, because there are no streams whose number could be reduced.
        if let fault = answer.fault, fault != .narrow { counts.struck(fault) }
        switch answer.act {
        case .accept: reply(nil, .accepted, answer.damage, at: now)
        case .reject(let rejection): reply(rejection, .rejected(rejection), answer.damage, at: now)
        case .silence: ignore(at: now)
        case .halfOpen(let span):
            ignore(at: now)
            if let span { host.setAlarm(Self.deafnessTicket, after: span) }
        case .flood(let kind):
            ignore(at: now)
            guard let (first, again) = kind.text else { return }
            flood = FloodSource(first: Array(first.utf8), again: Array(again.utf8))
            continueFlood()
        case .refuse:
            finish(.refused, at: now)
            closesWhenSent = true
            disposition = .closes
        case .reset:
            counts.seen.resets += 1
            disposition = .reset
        case .close, .blurt:
            counts.seen.closes += 1
            disposition = .closes
        case .goAway:
            counts.seen.goAways += 1
            staysOpen = false
            reply(nil, .accepted, answer.damage, at: now)
        }
    }

    private func ignore(at now: Instant) {
        handler.record(request, .silent, at: now)
        state = .ignoring
    }

    private func continueFlood() {
        flood?.refill()
        host.setAlarm(Self.floodTicket, after: Flood.between)
    }

    private func reply(
        _ rejection: Rejection?, _ ending: RequestOutcome, _ damage: HTTPReply.Damage?, at now: Instant
    ) {
        var reply = handler.compose(request, rejection)
        reply.damage = damage
        finish(ending, at: now)
        send(reply)
    }

    private func finish(_ ending: RequestOutcome, at now: Instant) {
        handler.record(request, ending, at: now)
        kind.leave()
        state = .listening
    }

    private func send(_ reply: HTTPReply) {
        let body = reply.bytesToSend
        let breaksOff = reply.damage == .brokenOff
        if breaksOff { staysOpen = false }
        // An answer that breaks off announces the length of its complete body.
        let announced = breaksOff ? reply.body?.count ?? 0 : body.count
        var head = "HTTP/1.1 \(reply.status) \(Self.phrase(reply.status))\r\ncontent-length: \(announced)\r\n"
        if reply.body != nil { head += "content-type: \(reply.content.type)\r\n" }
        if let retryAfter = reply.retryAfter { head += "retry-after: \(retryAfter)\r\n" }
        if !staysOpen { head += "connection: close\r\n" }
        say(head + "\r\n")
        output.bytes.append(contentsOf: body)
        closesWhenSent = !staysOpen
    }

    private func say(_ text: String) { output.bytes.append(contentsOf: text.utf8) }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
