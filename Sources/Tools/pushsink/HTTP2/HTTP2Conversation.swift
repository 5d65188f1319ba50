internal import CSinkShims
internal import Glibc

/// The server's side of HTTP/2 on one connection. It passes requests to a gateway's handler and carries out
/// the handler's decisions.
///
/// **Promises.** Every request that arrived completely gets exactly one ``RequestOutcome``, even if the
/// connection is lost. **Failures.** If a peer breaks the protocol, nghttp2 sends a GOAWAY, and then the
/// connection is closed. **Neighbours.** ``SinkConnection`` moves the bytes, and ``HTTPRequestHandler`` makes
/// the decisions.
final class HTTP2Conversation: Conversation {
    private(set) var disposition = Disposition.continues

    private let kind: HTTP2Kind
    private let handler: any HTTPRequestHandler
    private let counts: SinkCounts
    private unowned let host: any ConversationHost
    private var h2: OpaquePointer?
    /// The last stream that is processed. After a GOAWAY has been sent, streams above this one are not
    /// processed.
    private var last = Int32.max
    /// The reason for the GOAWAY that was announced; `nil` if no GOAWAY was announced.
    private var farewell: String?
    private var delayed: [Int32: SinkAnswer] = [:]
    /// The number of streams to advertise outside a narrow period, and the number of requests for which the
    /// current narrow period lasts.
    private var streamsBefore: UInt32
    private var narrowFor: Int?
    /// Whether the connection only reads and does nothing else.
    private var isDeaf = false
    private var flood: FloodSource?

    /// The ticket of an alarm. It cannot be the number of a stream, because clients' streams have odd
    /// numbers.
    private static let farewellTicket: Int32 = 0
    private static let deafnessTicket: Int32 = 2
    private static let floodTicket: Int32 = 4
    /// The maximum time for which an announced GOAWAY waits for the client's PING ACK. A client whose streams
    /// have all ended might not send a PING ACK.
    private static let goAwayTimeout = Instant.Span.seconds(1)

    private enum Phase {
        static let arriving: UInt32 = 0
        static let arrived: UInt32 = 1
    }

    init(_ kind: HTTP2Kind, caller: Caller, host: any ConversationHost) {
        self.kind = kind
        counts = kind.gateway.counts
        self.host = host
        handler = kind.gateway.handler(for: caller)
        streamsBefore = handler.streamsAtFirst
        h2 = push_sink_h2_make(kind.raw, Unmanaged.passUnretained(self).toOpaque(), streamsBefore)
        if h2 == nil { disposition = .reset }
    }

    // MARK: Conversation

    func receive(_ bytes: Bytes) {
        guard let h2, disposition == .continues, !isDeaf, let start = bytes.baseAddress else { return }
        if push_sink_h2_receive(h2, start, bytes.count) != 0 {
            counts.seen.protocolErrors += 1
            if disposition == .continues { disposition = .closes }
        }
    }

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let h2, disposition != .reset, !isDeaf || flood != nil, let start = room.baseAddress else {
            return 0
        }
        // Frames from before the flood are sent first.
        let count = push_sink_h2_fill(h2, start, room.count)
        if count < 0 { disposition = .reset }
        if count == 0, flood != nil { return flood?.fill(room) ?? 0 }
        if count == 0, disposition == .continues, push_sink_h2_over(h2) { disposition = .closes }
        return max(0, count)
    }

    func alarm(_ ticket: Int32, at now: Instant) {
        if isDeaf {
            if ticket == Self.deafnessTicket, disposition == .continues { disposition = .closes }
            if ticket == Self.floodTicket { continueFlood() }
            return
        }
        if ticket == Self.farewellTicket { return noticed() }
        guard let h2, let answer = delayed.removeValue(forKey: ticket),
            let raw = push_sink_h2_request(h2, ticket)
        else { return }
        let request = HTTPRequest(raw)
        // A GOAWAY that was sent in the meantime excludes the request. The request is recorded when its
        // stream closes.
        guard request.stream <= last, disposition == .continues else { return }
        perform(answer, on: request, at: now)
    }

    func end() {
        guard let h2 else { return }
        // This closes the streams of the requests that are still waiting, one by one.
        push_sink_h2_free(h2)
        self.h2 = nil
    }

    // MARK: From C

    fileprivate func arrived(_ request: HTTPRequest) {
        request.raw.pointee.phase = Phase.arrived
        let now = host.now
        counts.arrived(at: now)
        countNarrowRequest()
        // After a GOAWAY, the request is recorded when its stream closes. After a cut, it is recorded when
        // the connection closes.
        guard request.stream <= last, disposition == .continues, !isDeaf else { return }
        let answer = handler.decide(request, at: now)
        if answer.delay == .zero {
            perform(answer, on: request, at: now)
        } else {
            delayed[request.stream] = answer
            host.setAnswerAlarm(request.stream, after: answer.delay)
        }
    }

    fileprivate func vanished(_ request: HTTPRequest) {
        delayed[request.stream] = nil
        guard request.raw.pointee.phase == Phase.arrived else {
            counts.seen.incomplete += 1
            return
        }
        let ending: RequestOutcome =
            request.stream > last
            ? .unprocessed
            : isDeaf ? .silent : disposition == .continues ? .cancelled : .cut
        handler.record(request, ending, at: host.now)
    }

    fileprivate func noticed() {
        guard let h2, let farewell else { return }
        self.farewell = nil
        leave(farewell, after: push_sink_h2_last_stream(h2))
    }

    // MARK: Answers

    private func perform(_ answer: SinkAnswer, on request: HTTPRequest, at now: Instant) {
        guard let h2 else { return }
        if let streams = answer.streams {
            advertise(streams, for: answer.streamsFor)
        }
        if let drip = answer.drip { host.drip(drip) }
        if let fault = answer.fault { counts.struck(fault) }
        switch answer.act {
        case .accept: reply(to: request, nil, .accepted, answer.damage, at: now)
        case .reject(let rejection):
            reply(to: request, rejection, .rejected(rejection), answer.damage, at: now)
        case .silence: ignore(request, at: now)
        case .refuse:
            handler.record(request, .refused, at: now)
            push_sink_h2_refuse(h2, request.raw)
        case .reset:
            counts.seen.resets += 1
            disposition = .reset
        case .close, .blurt:
            counts.seen.closes += 1
            disposition = .closes
        case .halfOpen(let span):
            ignore(request, at: now)
            isDeaf = true
            if let span { host.setAlarm(Self.deafnessTicket, after: span) }
        case .flood(let kind):
            ignore(request, at: now)
            isDeaf = true
            let (first, again) = kind.frames(on: request.stream)
            flood = FloodSource(first: first, again: again)
            continueFlood()
        case .goAway(let isGraceful, let reason):
            counts.seen.goAways += 1
            goAway(isGraceful, reason, h2)
            // The request that caused the GOAWAY is processed if it is not above the last stream.
            if request.stream <= last { perform(.accept, on: request, at: now) }
        }
    }

    private func ignore(_ request: HTTPRequest, at now: Instant) {
        handler.record(request, .silent, at: now)
        push_sink_h2_ignore(request.raw)
    }

    private func continueFlood() {
        flood?.refill()
        host.setAlarm(Self.floodTicket, after: Flood.between)
    }

    private func reply(
        to request: HTTPRequest, _ rejection: Rejection?, _ ending: RequestOutcome,
        _ damage: HTTPReply.Damage?,
        at now: Instant
    ) {
        guard let h2 else { return }
        var reply = handler.compose(request, rejection)
        reply.damage = damage
        handler.record(request, ending, at: now)
        if let streams = reply.streams { advertise(streams) }
        func answer(_ body: Bytes) {
            _ = push_sink_h2_answer(
                h2, request.raw, Int32(reply.status), kind.identifierField?.cText,
                reply.body == nil ? nil : reply.content.type.cText, reply.retryAfter, body.baseAddress,
                body.count, reply.damage == .brokenOff)
        }
        guard reply.body != nil else { return answer(.empty) }
        reply.bytesToSend.withUnsafeBufferPointer(answer)
    }

    /// Advertises a number of streams. If `requests` is set, the number of streams applies only until this
    /// many further requests have arrived.
    private func advertise(_ streams: UInt32, for requests: Int? = nil) {
        if requests == nil { streamsBefore = streams }
        // During a narrow period, a new number takes effect only at the end of the period.
        if requests != nil || narrowFor == nil { tell(streams) }
        narrowFor = requests ?? narrowFor
    }

    /// Counts a request that has arrived in a narrow period.
    private func countNarrowRequest() {
        guard let left = narrowFor else { return }
        narrowFor = left > 1 ? left - 1 : nil
        if left <= 1 { tell(streamsBefore) }
    }

    private func tell(_ streams: UInt32) {
        guard let h2 else { return }
        counts.seen.settingsSent += 1
        push_sink_h2_advertise(h2, streams)
    }

    private func goAway(_ isGraceful: Bool, _ reason: String, _ h2: OpaquePointer) {
        guard isGraceful else { return leave(reason, after: push_sink_h2_middle(h2)) }
        guard farewell == nil, last == .max else { return }
        farewell = reason
        push_sink_h2_notice(h2)
        host.setAlarm(Self.farewellTicket, after: Self.goAwayTimeout)
    }

    private func leave(_ farewell: String, after stream: Int32) {
        guard let h2, last == .max else { return }
        last = stream
        let reason = Array(#"{"reason":""#.utf8) + ReasonEscapes.bytes(farewell) + Array(#""}"#.utf8)
        reason.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                if let start = $0.baseAddress { push_sink_h2_go_away(h2, stream, start, $0.count) }
            }
        }
    }
}

/// The state that all HTTP/2 connections of one gateway share.
final class HTTP2Kind {
    let gateway: any HTTPGateway
    let identifierField: StaticString?
    fileprivate let raw: OpaquePointer

    init(_ gateway: any HTTPGateway) {
        self.gateway = gateway
        identifierField = gateway.identifierField
        let names = gateway.fields.map { strdup($0.name) }
        defer { names.forEach { free($0) } }
        let events = push_sink_h2_events(
            arrived: { context, request in conversation(context).arrived(HTTPRequest(request)) },
            vanished: { context, request in conversation(context).vanished(HTTPRequest(request)) },
            noticed: { context in conversation(context).noticed() })
        raw = names.map { UnsafePointer($0!) }.withUnsafeBufferPointer {
            push_sink_h2_kind_make($0.baseAddress!, Int32($0.count), gateway.keptBody, events)
        }
    }

    deinit { push_sink_h2_kind_free(raw) }

    /// Records that a request over HTTP/1.1 begins. Such a request counts as a stream.
    func enter() { push_sink_h2_kind_enter(raw) }
    func leave() { push_sink_h2_kind_leave(raw) }

    /// The maximum number of streams that were open at one moment, on one connection and on all connections.
    var peak: (onOne: Int, together: Int) {
        (Int(push_sink_h2_kind_peak(raw)), Int(push_sink_h2_kind_peak_together(raw)))
    }
}

private func conversation(_ context: UnsafeMutableRawPointer) -> HTTP2Conversation {
    Unmanaged<HTTP2Conversation>.fromOpaque(context).takeUnretainedValue()
}

extension StaticString {
    fileprivate var cText: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
