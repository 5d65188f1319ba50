/// The client side of one HTTP/2 connection (RFC 9113) as a state machine: its inputs are requests and
/// received bytes, and its outputs are events and bytes to send. It has no clock, no socket and no delegate.
///
/// **Promises.** The frames of many requests are written one after the other into memory that the owner
/// lends. A request's ``RequestSlot/firstByte`` is exact, so that the owner can determine which requests were
/// never sent. The stream of each request is closed exactly once: by ``Event/ended(slot:code:)`` or
/// ``cancel(_:)``. Whatever the peer sends, ``PeerLimits`` and the size of a frame limit the session's work
/// and memory. **Costs.** After the first messages, the session does no allocation, reference counting or
/// dictionary access per message. **Failures.** A ``Failure`` is final: the session receives nothing more,
/// and a GOAWAY is ready to be sent. **Neighbours.** ``HPACKEncoder`` and ``TemplateCode`` encode;
/// ``HPACKDecoder`` decodes; ``HTTP2Connection`` owns the session, has the clock, and interprets endings.
package struct HTTP2Session: ~Copyable {
    /// The results of a receive operation, in order. The owner handles all of them before the next receive
    /// operation.
    package enum Event: Equatable, BitwiseCopyable {
        /// The stream of the request in this slot is closed; code 0 means that it ended normally. The owner
        /// must then call ``release(_:)``.
        case ended(slot: Int, code: UInt32)
        /// - `debug`: The index of the frame's debug data in ``goAwayDebug``.
        case goingAway(code: UInt32, last: Int32, debug: Int)
        /// The peer's SETTINGS are in effect.
        case settings
    }

    package enum Failure: Error, Equatable {
        /// The peer violated HTTP/2: contains the code of our GOAWAY and a description.
        case broken(HTTP2ErrorCode, String)
        case excess(Excess)
    }
    package enum Excess: Sendable {
        case headers, interimAnswers, frames, body, goAways, acknowledgements, settings, continuations
    }

    let configuration: HTTP2Configuration
    let wantedHeaders: [[UInt8]]
    /// One bit for each length that a wanted name has, so that names of other lengths are skipped quickly.
    let wantedLengths: UInt64

    // Outgoing data: control frames first, then the rest of a block, then requests in order.
    var out = FrameBuffer()
    var control = FrameQueue()
    var block = FrameQueue()
    var encoder = HPACKEncoder()
    var templates = TemplateTable()
    var slots: Slab<RequestSlot>
    var streams: StreamTable
    /// Requests that have data to send and do not wait for their stream's window.
    var waiting = SlotList()
    private var freeSlots = Slab<Int>(capacity: 64)
    /// The template of the last ``begin(_:)``.
    private var begun = Int(RequestSlot.none)
    private var memories = Slab<UnsafeMutableRawPointer>(capacity: 16)
    /// Whether requests wait only for space to write their frames.
    package internal(set) var lacksRoom = false

    // The limits that the peer set.
    package internal(set) var peerMaxStreams = UInt32.max
    var peerWindow = HTTP2Session.initialWindow
    var connectionWindow = HTTP2Session.initialWindow
    /// The last stream that the peer's GOAWAY admits.
    package internal(set) var lastAdmitted = Int32.max
    /// Whether a GOAWAY has arrived, so that the session accepts no more requests.
    package internal(set) var isSentAway = false

    // Received data.
    var decoder = HPACKDecoder()
    /// The bytes of a header block that is not complete yet.
    var fragments: [UInt8] = []
    var carry: [UInt8] = []
    var hasSettings = false
    var awaitsAcknowledgement = true
    var received = ReceivedBlock()
    var unacknowledged = 0
    var events = Slab<Event>(capacity: 64)
    package internal(set) var goAwayDebug: [[UInt8]] = []
    /// The number of frames received so far. Only frames of the types that RFC 9113 defines are counted.
    package internal(set) var frames: UInt64 = 0
    /// The number of header bytes decoded so far.
    package internal(set) var headerBytes: UInt64 = 0
    var goAways = 0

    /// The number of slots that are taken.
    package private(set) var inUse = 0
    /// The number of streams whose HEADERS have been framed and that are not closed yet.
    package internal(set) var openStreams = 0
    var nextStream: Int64
    var lastFramed: Int32 = 0
    /// Whether the session is over: nothing more is received, and no request is sent.
    package internal(set) var isOver = false

    static let initialWindow = 65_535
    static let maxWindow = Int(Int32.max)
    /// The receive window of a stream, in bytes. Answers are very small, and the window is so wide that
    /// answers never wait for it.
    static let streamWindow = 1 << 20
    static let receiveWindow = 16 << 20

    package init(_ configuration: HTTP2Configuration) {
        self.configuration = configuration
        wantedHeaders = configuration.wantedHeaders.map { Array($0.utf8) }
        wantedLengths = wantedHeaders.reduce(0) { $0 | 1 << UInt64($1.count & 63) }
        slots = Slab(capacity: min(configuration.maximumStreams, 64))
        streams = StreamTable(maxStreams: configuration.maximumStreams)
        nextStream = Int64(configuration.firstStreamID)
        lastFramed = configuration.firstStreamID - 2
        carry.reserveCapacity(FrameHead.bytes + FrameHead.maxPayloadBytes)
        control.preface(configuration)
    }

    deinit {
        for index in 0..<slots.count {
            slots[index].kept.free()
            slots[index].memory?.deallocate()
        }
        for index in 0..<memories.count { memories[index].deallocate() }
    }

    // MARK: Requests

    /// The number of slots that have ever been in use. All slot numbers are lower.
    package var slotCount: Int { slots.count }
    package subscript(slot: Int) -> RequestSlot { _read { yield slots[slot] } }
    package func isTaken(_ slot: Int) -> Bool { slots[slot].state != .free }

    /// Returns a writer for the next request; `nil` if all slots are taken.
    @inline(__always)
    package mutating func begin(_ template: RequestTemplate) -> RequestWriter? {
        guard inUse < configuration.maximumStreams else { return nil }
        begun = templates.place(of: template)
        if memories.count == 0 { memories.append(RequestMemory.allocate(bytes: configuration.slotBytes)) }
        return RequestWriter(
            memory: memories[memories.count - 1], room: configuration.slotBytes,
            variables: template.variableCount)
    }

    /// Accepts the request of the last ``begin(_:)`` and writes its frames if they fit. Returns the request's
    /// slot; `nil` if stream ids are used up or the peer has sent GOAWAY.
    package mutating func submit(_ request: RequestWriter, tag: UInt64) -> Int? {
        guard inUse < configuration.maximumStreams, !isSentAway, begun >= 0, nextStream <= Int64(Int32.max),
            let memory = memories.popLast()
        else { return nil }
        precondition(memory == request.memory, "the request is not the one begun last")
        let index = takeSlot()
        slots[index].begin(tag: tag, stream: Int32(nextStream))
        nextStream += 2
        inUse += 1
        templates[begun].waiting += 1
        slots[index].template = Int32(begun)
        begun = Int(RequestSlot.none)
        slots[index].memory = memory
        slots[index].variables = request.set
        (slots[index].bodyOffset, slots[index].bodyLength) = (request.bodyOffset, request.bodyLength)
        send(index)
        return index
    }

    @inline(__always)
    private mutating func takeSlot() -> Int {
        if let index = freeSlots.popLast() { return index }
        slots.append(RequestSlot())
        return slots.count - 1
    }

    /// Frees a slot after the owner has handled the end of its request. The stored answer remains valid until
    /// the slot's next answer.
    package mutating func release(_ slot: Int) {
        guard slots[slot].state == .closed else { return }
        slots[slot].state = .free
        freeSlots.append(slot)
        inUse -= 1
    }

    /// Gives up a request because its owner demands it: resets the stream if it was opened, and frees the
    /// slot.
    package mutating func cancel(_ slot: Int) {
        guard slots[slot].state == .open else { return }
        if slots[slot].isFramed { control.resetStream(slots[slot].stream, .cancel) }
        close(slot)
        release(slot)
    }

    /// Closes a stream, even if some of its data was not sent.
    mutating func close(_ slot: Int) {
        guard slots[slot].state == .open else { return }
        slots[slot].state = .closed
        // The rest of a header block that is being received is decoded, but no longer belongs to a request.
        if received.slot == Int32(slot) { received.slot = RequestSlot.none }
        if slots[slot].isFramed {
            streams.remove(slots[slot].stream)
            openStreams -= 1
        }
        if slots[slot].memory != nil {
            if !slots[slot].isFramed { templates[Int(slots[slot].template)].waiting -= 1 }
            waiting.remove(slot)
            finishSending(slot)
        }
    }

    /// Releases the memory of a request that is completely framed or will not be framed any further.
    @inline(__always)
    mutating func finishSending(_ slot: Int) {
        guard let memory = slots[slot].memory else { return }
        slots[slot].memory = nil
        memories.append(memory)
    }

    /// Returns the stored parts of the answer in this slot.
    package func answer(in slot: Int) -> (headers: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
        (slots[slot].kept.headers, slots[slot].kept.body)
    }

    // MARK: Events

    /// Discards the events after the owner has handled them.
    package mutating func clearEvents() {
        events.removeAll()
        if !goAwayDebug.isEmpty { goAwayDebug = [] }
    }
    package var eventCount: Int { events.count }
    package func event(_ index: Int) -> Event { events[index] }
}
