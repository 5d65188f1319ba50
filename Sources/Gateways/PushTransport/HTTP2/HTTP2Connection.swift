internal import CPushShims
internal import PushSystem

/// One HTTP/2 connection to a gateway: an nghttp2 client session over a ``TLSStream``.
///
/// **Promises.** Each submitted request gets exactly one of ``HTTP2Delegate/connection(_:answered:)`` and
/// ``HTTP2Delegate/connection(_:ended:_:)``, also when the connection breaks, before
/// ``HTTP2Delegate/connectionClosed(_:cause:)``, which is said once and last. A request is called *never
/// sent* only if the peer cannot have acted on it. Nothing is ever sent twice. The delegate is called from
/// ``TransportLoop/wait(atMostMilliseconds:)`` only.
/// **Costs.** A submission copies nothing but what its writer copies and allocates nothing of ours; frames of
/// many requests leave in one ``flush()``, which is the caller's to call after submitting.
/// **Failures.** Values of ``CloseCause`` and ``HTTP2Ending``. **Neighbours.** ``StreamAllowance``,
/// ``Keepalive`` and ``DeadlineQueue`` decide; `CPushShims/push_transport_h2.c` holds the loops that nghttp2
/// calls back into.
package final class HTTP2Connection {
    package enum State: Equatable {
        case connecting
        /// Takes requests.
        case open
        /// Takes none; those in flight may finish until the deadline.
        case draining(deadline: Int64)
        case closed(CloseCause)
    }

    package internal(set) var state = State.connecting
    package let endpoint: Endpoint
    package let configuration: HTTP2Configuration
    unowned let loop: TransportLoop
    var delegate: (any HTTP2Delegate)?
    let h2: UnsafeMutablePointer<push_h2>
    private(set) var stream: TLSStream?

    var allowance: StreamAllowance
    var deadlines: DeadlineQueue
    var keepalive: Keepalive
    var peerAllowance: PeerAllowance
    /// Requests that the peer brought to an end since ``peerAllowance`` was told.
    var endedByPeer = 0
    /// What ``peerAllowance`` was told of so far, and what it said.
    var countedFrames: UInt64 = 0, countedHeaderBytes: UInt64 = 0
    var excess: PeerAllowance.Excess?
    /// What the peer sends is read no more.
    var isGivenUp = false
    /// From the first packet to the peer's SETTINGS.
    let greetingDeadline: Int64
    /// The peer's GOAWAY, the last one: it explains a close.
    var farewell: CloseCause?
    /// The last stream that the peer's GOAWAY admits.
    var lastAdmitted = Int32.max
    /// Requests that nghttp2 holds and that were not ended yet.
    var due = 0
    /// When the peer last answered a request; before the first: when the connection opened.
    var lastAnswer = Int64.max
    /// Since when the owner has waited for a first stream.
    var starvedSince: Int64?

    /// The fields of the request being written, in nghttp2's form, and what is left of them when variables
    /// are unset.
    private let scratch: UnsafeMutablePointer<nghttp2_nv>
    private let compacted: UnsafeMutablePointer<nghttp2_nv>
    private var scratchTemplate: RequestTemplate?
    /// nghttp2 points into the memory of templates until a request is framed.
    private var templates: [RequestTemplate] = []

    /// Starts connecting. ``HTTP2Delegate/connectionOpened(_:)`` or
    /// ``HTTP2Delegate/connectionClosed(_:cause:)`` follows.
    /// - Throws: ``TransportError`` for settings that cannot be, before anything is done.
    package init(
        loop: TransportLoop, endpoint: Endpoint, tls: TLSIdentity, configuration: HTTP2Configuration,
        delegate: any HTTP2Delegate
    ) throws(TransportError) {
        try configuration.check()
        self.loop = loop
        (self.endpoint, self.configuration, self.delegate) = (endpoint, configuration, delegate)
        allowance = StreamAllowance(
            most: configuration.maximumStreams, initial: configuration.initialStreams,
            firstStreamID: Int64(configuration.firstStreamID))
        deadlines = DeadlineQueue(duration: configuration.requestTimeout.nanoseconds)
        let now = Clocks.monotonicNanoseconds()
        keepalive = Keepalive(
            afterQuiet: configuration.pingAfterQuiet.nanoseconds,
            whenIdle: configuration.idlePing.nanoseconds,
            timeout: configuration.pingTimeout.nanoseconds, now: now)
        peerAllowance = PeerAllowance(
            configuration.peerLimits, streams: configuration.maximumStreams, now: now)
        greetingDeadline = now &+ configuration.connectTimeout.nanoseconds
        h2 = try Self.makeSession(configuration)
        scratch = .allocate(capacity: RequestTemplate.mostFields)
        compacted = .allocate(capacity: RequestTemplate.mostFields)
        var streamConfiguration = TLSStream.Configuration()
        streamConfiguration.protocols = ["h2"]
        streamConfiguration.connectTimeout = configuration.connectTimeout
        streamConfiguration.sendTimeout = configuration.sendTimeout
        streamConfiguration.socketSendBuffer = configuration.socketSendBuffer
        stream = try TLSStream(
            loop: loop, endpoint: endpoint, tls: tls, configuration: streamConfiguration, delegate: self)
        loop.remind(at: greetingDeadline)
    }

    deinit {
        push_h2_free(h2)
        scratch.deallocate()
        compacted.deallocate()
    }

    private static func makeSession(
        _ configuration: HTTP2Configuration
    ) throws(TransportError) -> UnsafeMutablePointer<push_h2> {
        guard
            let h2 = push_h2_new(
                UInt32(configuration.maximumStreams), UInt32(configuration.slotBytes),
                UInt32(configuration.maximumKeptBody), configuration.peerLimits.ofSession)
        else { throw TransportError(.outOfMemory(what: "an HTTP/2 session")) }
        for name in configuration.wantedHeaders where !push_h2_want(h2, name) {
            push_h2_free(h2)
            throw TransportError(.outOfMemory(what: "the names of response headers"))
        }
        if configuration.firstStreamID > 1 {
            nghttp2_session_set_next_stream_id(h2.pointee.session, configuration.firstStreamID)
        }
        return h2
    }

    // MARK: Requests

    /// How many requests may be submitted now.
    package var freeStreams: Int {
        guard state == .open else { return 0 }
        return allowance.free(inFlight: Int(h2.pointee.in_use))
    }

    /// Requests submitted and neither answered nor ended.
    package var inFlight: Int { due }

    /// A writer for the next request, or nil when there is no free stream (or no memory for another slot).
    package func begin(_ template: RequestTemplate) -> RequestWriter? {
        guard freeStreams > 0, let slot = push_h2_next_slot(h2) else { return nil }
        if scratchTemplate !== template { adopt(template) }
        return RequestWriter(
            memory: UnsafeMutableRawPointer(slot.pointee.memory), room: Int(h2.pointee.slot_size),
            fields: scratch,
            places: template.variables)
    }

    /// Submits what the writer holds; `tag` comes back with the answer. The frames are made and leave with
    /// ``flush()``. False when nghttp2 would not have it: then nothing was done, and no ending follows.
    @discardableResult
    package func submit(_ request: RequestWriter, tag: UInt64) -> Bool {
        guard freeStreams > 0, let template = scratchTemplate else { return false }
        var fields = scratch
        var count = template.count
        if request.set != (1 << UInt32(template.variables.count)) - 1 {
            (fields, count) = (compacted, compact(template, set: request.set))
        }
        let id = push_h2_submit(
            h2, fields, count, tag, UInt32(request.bodyOffset), UInt32(request.bodyLength))
        guard id > 0 else {
            if id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue { allowance.stopAccepting() }
            return false
        }
        allowance.submitted(streamID: id)
        starvedSince = nil
        let slot = h2.pointee.free_list[Int(h2.pointee.free_count)]
        deadlines.add(Int(slot), at: loop.now)
        due += 1
        if due == 1 {
            keepalive.answersDue(at: loop.now)
            loop.remind(at: min(deadlines.next, keepalive.next))
        }
        return true
    }

    /// Makes frames of what was submitted and sends as many as the socket takes; the rest follows by itself.
    package func flush() {
        guard let stream, push_h2_wants_pull(h2) || stream.hasOutgoing else { return }
        repeat {
            let room = stream.outgoingRoom
            if room.count == 0 {
                guard stream.flush() else { return }
                continue
            }
            let pulled = push_h2_pull(h2, room.baseAddress!.assumingMemoryBound(to: UInt8.self), room.count)
            guard pulled >= 0 else { return stream.close(because: .protocolError(Self.text(pulled))) }
            stream.commit(pulled)
            // A frame that could not be made has closed its stream: to be told from the loop, not from here.
            if h2.pointee.event_count > 0 { stream.leaveUnread() }
            // A partly filled buffer means that there are no more frames.
            if pulled < room.count {
                stream.flush()
                return
            }
        } while stream.flush()
    }

    /// The owner has requests and finds no room. A peer that allows no stream at all for as long as
    /// connecting may take is given up as ``CloseCause/noStreams``.
    package func requestsWait() {
        guard state == .open, due == 0, starvedSince == nil, freeStreams == 0 else { return }
        starvedSince = loop.now
        loop.remind(at: loop.now &+ configuration.connectTimeout.nanoseconds)
    }

    /// The owner knows that the peer takes us for who we say: from now on only SETTINGS rule.
    package func widen() {
        guard allowance.initial != nil else { return }
        allowance.widen()
    }

    // MARK: Closing

    /// Takes no more requests, lets those in flight finish (until the drain time-out), says GOAWAY and
    /// closes.
    package func drain() {
        guard state == .open else {
            if state == .connecting { close() }
            return
        }
        startDraining()
        if due == 0 { sayGoodbye() }
    }

    /// Closes at once; requests in flight are ended as undecided or never sent.
    package func close() {
        if case .closed = state { return }
        allowance.stopAccepting()
        stream?.close(because: .local)
    }

    func startDraining() {
        guard state == .open else { return }
        allowance.stopAccepting()
        let deadline = loop.now &+ configuration.drainTimeout.nanoseconds
        state = .draining(deadline: deadline)
        loop.remind(at: deadline)
    }

    /// Nothing is due any more: an orderly end.
    func sayGoodbye() {
        guard let stream else { return }
        nghttp2_session_terminate_session(h2.pointee.session, NGHTTP2_NO_ERROR.rawValue)
        flush()
        stream.close()
    }

    func forgetStream() { stream = nil }

    // MARK: Templates

    private func adopt(_ template: RequestTemplate) {
        scratch.update(from: template.fields, count: template.count)
        scratchTemplate = template
        if !templates.contains(where: { $0 === template }) {
            // Those before the last few cannot have unframed requests unless the peer stopped reading
            // altogether.
            if templates.count >= 16, !push_h2_wants_pull(h2) { templates.removeAll() }
            templates.append(template)
        }
    }

    /// Leaves out the variables that were not set.
    private func compact(_ template: RequestTemplate, set: UInt32) -> Int {
        var count = 0
        var variable = 0
        for index in 0..<template.count {
            if variable < template.variables.count, template.variables[variable] == index {
                variable += 1
                if set & (1 << UInt32(variable - 1)) == 0 { continue }
            }
            compacted[count] = scratch[index]
            count += 1
        }
        return count
    }

    static func text(_ code: Int) -> String { String(cString: nghttp2_strerror(Int32(clamping: code))) }
}

extension HTTP2Configuration {
    func check() throws(TransportError) {
        guard (1...65_536).contains(maximumStreams) else {
            throw TransportError(.setting("maximumStreams is \(maximumStreams); allowed: 1 to 65536"))
        }
        guard (64...1 << 20).contains(slotBytes) else {
            throw TransportError(.setting("slotBytes is \(slotBytes); allowed: 64 to 1048576"))
        }
        guard (0...8192).contains(maximumKeptBody) else {
            throw TransportError(.setting("maximumKeptBody is \(maximumKeptBody); allowed: 0 to 8192"))
        }
        guard wantedHeaders.count <= Int(PUSH_H2_WANTED_MOST),
            wantedHeaders.allSatisfy({ (1..<64).contains($0.utf8.count) })
        else { throw TransportError(.setting("wantedHeaders: at most 8 names of 1 to 63 bytes")) }
        guard initialStreams.map({ $0 >= 1 }) ?? true else {
            throw TransportError(
                .setting("initialStreams is \(initialStreams ?? 0); allowed: none, or 1 and more"))
        }
        guard firstStreamID > 0, firstStreamID % 2 == 1 else {
            throw TransportError(.setting("firstStreamID is \(firstStreamID); a client's ids are odd"))
        }
    }
}
