// Parsing of the peer's bytes into frames.
extension HTTP2Session {
    /// Processes bytes from the peer; the results are in ``events``. After a failure, the session ignores all
    /// further bytes, and a GOAWAY is ready to be sent.
    package mutating func receive(_ bytes: Span<UInt8>) -> Failure? {
        guard !isOver else { return nil }
        do {
            try take(bytes)
            return nil
        } catch {
            switch error {
            case .broken(let code, _): terminate(code)
            case .excess: terminate(.enhanceYourCalm)
            }
            return error
        }
    }

    /// Reads complete frames in place and keeps the start of an incomplete frame.
    private mutating func take(_ bytes: Span<UInt8>) throws(Failure) {
        var offset = 0
        if !carry.isEmpty {
            try complete(with: bytes, from: &offset)
            guard carry.isEmpty else { return }
        }
        while bytes.count - offset >= FrameHead.bytes {
            let head = FrameHead(bytes.extracting(offset..<offset + FrameHead.bytes))
            try check(head)
            let end = offset + FrameHead.bytes + head.length
            guard end <= bytes.count else { break }
            try take(head, bytes.extracting(offset + FrameHead.bytes..<end))
            offset = end
        }
        if offset < bytes.count { _ = Self.fill(&carry, to: .max, with: bytes, from: &offset) }
    }

    /// Appends bytes until there are `count` bytes in total. Returns false if there are not enough bytes.
    private static func fill(
        _ carry: inout [UInt8], to count: Int, with bytes: Span<UInt8>, from offset: inout Int
    ) -> Bool {
        let end = offset + min(bytes.count - offset, max(0, count - carry.count))
        bytes.extracting(offset..<end).withUnsafeBufferPointer { carry.append(contentsOf: $0) }
        offset = end
        return carry.count >= count
    }

    private mutating func complete(with bytes: Span<UInt8>, from offset: inout Int) throws(Failure) {
        guard Self.fill(&carry, to: FrameHead.bytes, with: bytes, from: &offset) else { return }
        let head = FrameHead(carry.span)
        try check(head)
        let whole = FrameHead.bytes + head.length
        guard Self.fill(&carry, to: whole, with: bytes, from: &offset) else { return }
        // The frame is swapped out of the session, because a frame may change the whole session. No byte is
        // copied.
        var frame: [UInt8] = []
        swap(&frame, &carry)
        try take(head, frame.span.extracting(FrameHead.bytes..<frame.count))
        frame.removeAll(keepingCapacity: true)
        swap(&frame, &carry)
    }

    private func check(_ head: FrameHead) throws(Failure) {
        guard head.length <= FrameHead.maxPayloadBytes else {
            throw .broken(.frameSizeError, "a frame of \(head.length) bytes")
        }
    }

    private mutating func take(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        if !hasSettings {
            // RFC 9113, 3.4: the first frame is the peer's preface.
            guard head.kind == .settings, head.flags & FrameHead.Flag.acknowledgement == 0 else {
                throw .broken(.protocolError, "the first frame is not SETTINGS")
            }
            hasSettings = true
        }
        if received.isOpen, head.kind != .continuation || head.stream != received.stream {
            throw .broken(.protocolError, "a header block interrupted by another frame")
        }
        guard let kind = head.kind else { return }
        frames += 1
        switch kind {
        case .data: try takeData(head, payload)
        case .headers: try takeHeaders(head, payload)
        case .continuation: try takeContinuation(head, payload)
        case .settings: try takeSettings(head, payload)
        case .windowUpdate: try takeWindowUpdate(head, payload)
        case .resetStream: try takeReset(head, payload)
        case .ping: try takePing(head, payload)
        case .goAway: try takeGoAway(head, payload)
        case .priority: try takePriority(head)
        case .pushPromise: throw .broken(.protocolError, "PUSH_PROMISE although push is disabled")
        }
    }

    // MARK: Frames of the connection

    private mutating func takeSettings(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard head.stream == 0 else { throw .broken(.protocolError, "SETTINGS on a stream") }
        if head.flags & FrameHead.Flag.acknowledgement != 0 {
            guard head.length == 0 else {
                throw .broken(.frameSizeError, "a SETTINGS acknowledgement with a payload")
            }
            guard awaitsAcknowledgement else {
                throw .broken(.protocolError, "an acknowledgement of SETTINGS that were not sent")
            }
            awaitsAcknowledgement = false
            return
        }
        guard head.length % 6 == 0 else { throw .broken(.frameSizeError, "SETTINGS") }
        guard head.length <= 6 * Self.maxSettings else { throw .excess(.settings) }
        for offset in stride(from: 0, to: head.length, by: 6) {
            let identifier = UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1])
            try apply(identifier, payload.bigEndian(at: offset + 2))
        }
        control.acknowledgeSettings()
        try checkAcknowledgements()
        events.append(.settings)
    }

    /// The maximum number of settings in a frame, the same as in nghttp2. The number is limited because each
    /// setting can change all streams. RFC 9113 defines six settings.
    private static let maxSettings = 32

    /// Applies one value from SETTINGS (RFC 9113, 6.5.2).
    private mutating func apply(_ identifier: UInt16, _ value: UInt32) throws(Failure) {
        switch identifier {
        case 1: encoder.limitTable(to: value)
        case 2:
            guard value == 0 else { throw .broken(.protocolError, "SETTINGS that enable push") }
        case 3: peerMaxStreams = value
        case 4:
            guard value <= Self.maxWindow else {
                throw .broken(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE \(value)")
            }
            try setPeerWindow(Int(value))
        case 5:
            guard (1 << 14..<1 << 24).contains(value) else {
                throw .broken(.protocolError, "SETTINGS_MAX_FRAME_SIZE \(value)")
            }
        default: break
        }
    }

    /// Changes the windows of all open streams. A window may become negative (RFC 9113, 6.9.2).
    private mutating func setPeerWindow(_ window: Int) throws(Failure) {
        let grows = window > peerWindow
        peerWindow = window
        guard grows else { return }
        for slot in 0..<slots.count where slots[slot].state == .open {
            guard window + slots[slot].granted <= Self.maxWindow else {
                throw .broken(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE \(window)")
            }
            resume(slot)
        }
    }

    private mutating func takePing(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard head.stream == 0 else { throw .broken(.protocolError, "PING on a stream") }
        guard head.length == 8 else { throw .broken(.frameSizeError, "PING") }
        guard head.flags & FrameHead.Flag.acknowledgement == 0 else { return }
        control.acknowledgePing(payload)
        try checkAcknowledgements()
    }

    /// The maximum number of waiting acknowledgements. The loop sends them in each turn, and no well-behaved
    /// peer requests this many between two turns.
    private static let maxAcknowledgements = 1_000

    private func checkAcknowledgements() throws(Failure) {
        guard control.acknowledgements <= Self.maxAcknowledgements else { throw .excess(.acknowledgements) }
    }

    private static let maxDebugBytes = 512

    private mutating func takeGoAway(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard head.stream == 0 else { throw .broken(.protocolError, "GOAWAY on a stream") }
        guard head.length >= 8 else { throw .broken(.frameSizeError, "GOAWAY") }
        goAways += 1
        guard goAways <= configuration.peerLimits.goAways else { throw .excess(.goAways) }
        let last = Int32(bitPattern: payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard last == 0 || last % 2 == 1, last <= lastAdmitted else {
            throw .broken(.protocolError, "GOAWAY with last stream \(last)")
        }
        lastAdmitted = last
        isSentAway = true
        var debug: [UInt8] = []
        for index in 8..<min(head.length, 8 + Self.maxDebugBytes) { debug.append(payload[index]) }
        goAwayDebug.append(debug)
        events.append(.goingAway(code: payload.bigEndian(at: 4), last: last, debug: goAwayDebug.count - 1))
        for slot in 0..<slots.count where slots[slot].state == .open {
            if slots[slot].stream > last || !slots[slot].isFramed { end(slot, .refusedStream) }
        }
    }

    // MARK: Frames of a stream

    private mutating func takeWindowUpdate(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard head.length == 4 else { throw .broken(.frameSizeError, "WINDOW_UPDATE") }
        let increment = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
        guard head.stream != 0 else {
            guard increment > 0 else { throw .broken(.protocolError, "WINDOW_UPDATE by 0") }
            connectionWindow += increment
            guard connectionWindow <= Self.maxWindow else {
                throw .broken(.flowControlError, "WINDOW_UPDATE by \(increment)")
            }
            return
        }
        guard let slot = try openSlot(head, "WINDOW_UPDATE") else { return }
        guard increment > 0 else { return reset(slot, .protocolError) }
        slots[slot].granted += increment
        guard peerWindow + slots[slot].granted <= Self.maxWindow else {
            return reset(slot, .flowControlError)
        }
        resume(slot)
    }

    private mutating func takeReset(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard head.length == 4 else { throw .broken(.frameSizeError, "RST_STREAM") }
        guard let slot = try openSlot(head, "RST_STREAM") else { return }
        close(slot)
        events.append(.ended(slot: slot, code: payload.bigEndian(at: 0)))
    }

    /// Priorities no longer have a meaning (RFC 9113, 5.3.2).
    private mutating func takePriority(_ head: FrameHead) throws(Failure) {
        guard head.stream != 0 else { throw .broken(.protocolError, "PRIORITY on the connection") }
        guard head.length != 5, head.stream <= lastFramed, let slot = streams.slot(of: head.stream) else {
            return
        }
        reset(slot, .frameSizeError)
    }

    /// Returns the slot of an open stream; `nil` if the stream is closed.
    func openSlot(_ head: FrameHead, _ name: String) throws(Failure) -> Int? {
        guard head.stream % 2 == 1, head.stream <= lastFramed else {
            throw .broken(.protocolError, "\(name) on stream \(head.stream), which is not open")
        }
        return streams.slot(of: head.stream)
    }

    /// Resets a stream on which the peer broke a rule.
    mutating func reset(_ slot: Int, _ code: HTTP2ErrorCode) {
        control.resetStream(slots[slot].stream, code)
        end(slot, code)
    }

    mutating func end(_ slot: Int, _ code: HTTP2ErrorCode) {
        close(slot)
        events.append(.ended(slot: slot, code: code.rawValue))
    }
}
