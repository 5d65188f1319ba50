/// The header block that is currently being received.
struct ReceivedBlock {
    var isOpen = false
    var stream: Int32 = 0
    /// The slot of the request; ``RequestSlot/none`` for a closed stream, whose block is decoded as well, so
    /// that our table stays identical to the peer's.
    var slot = RequestSlot.none
    var endsStream = false
    var bytes = 0
    var continuations = 0
    var response = ResponseBlock(isTrailer: false)
}

// Header blocks and bodies of responses.
extension HTTP2Session {
    mutating func takeHeaders(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        let slot = try openSlot(head, "HEADERS")
        var range = try unpadded(head, payload)
        if head.flags & FrameHead.Flag.priority != 0 {
            guard range.count >= 5 else { throw .broken(.frameSizeError, "HEADERS with a priority") }
            range = range.lowerBound + 5..<range.upperBound
        }
        received = ReceivedBlock()
        received.isOpen = true
        received.stream = head.stream
        received.endsStream = head.flags & FrameHead.Flag.endStream != 0
        if let slot {
            received.slot = Int32(slot)
            received.response = ResponseBlock(isTrailer: slots[slot].status != 0)
        }
        try take(fragment: payload.extracting(range), isLast: head.flags & FrameHead.Flag.endHeaders != 0)
    }

    /// The maximum number of CONTINUATION frames per block, the same as in nghttp2.
    private static let maxContinuations = 8

    mutating func takeContinuation(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        guard received.isOpen else { throw .broken(.protocolError, "CONTINUATION without HEADERS") }
        received.continuations += 1
        guard received.continuations <= Self.maxContinuations else { throw .excess(.continuations) }
        try take(fragment: payload, isLast: head.flags & FrameHead.Flag.endHeaders != 0)
    }

    private mutating func take(fragment: Span<UInt8>, isLast: Bool) throws(Failure) {
        guard isLast, fragments.isEmpty else {
            fragment.withUnsafeBufferPointer { fragments += $0 }
            guard isLast else { return }
            // The block is swapped out of the session, because fields change the session. No byte is copied.
            var block: [UInt8] = []
            swap(&block, &fragments)
            try decode(block.span)
            block.removeAll(keepingCapacity: true)
            return swap(&block, &fragments)
        }
        try decode(fragment)
    }

    private mutating func decode(_ block: Span<UInt8>) throws(Failure) {
        received.isOpen = false
        try block.withUnsafeBufferPointer { block throws(Failure) in
            var offset = 0
            while true {
                switch decoder.next(block, from: &offset) {
                case .field: try takeField()
                case .end: return
                case .malformed: throw .broken(.compressionError, "a header block that cannot be decoded")
                }
            }
        }
        try finishBlock()
    }

    /// A field that takes one received byte can decode to four thousand bytes, so the limit applies to the
    /// decoded size.
    private mutating func takeField() throws(Failure) {
        let (name, value) = (decoder.name, decoder.value)
        let bytes = name.count + value.count + 32
        headerBytes += UInt64(bytes)
        received.bytes += bytes
        guard received.bytes <= configuration.peerLimits.headerBytes else { throw .excess(.headers) }
        guard received.slot != RequestSlot.none, received.response.take(name, value),
            name.count < 64, wantedLengths & 1 << UInt64(name.count) != 0
        else { return }
        for (index, wanted) in wantedHeaders.enumerated() where wanted.count == name.count {
            guard name.elementsEqual(wanted), value.isFieldValue else { continue }
            slots[Int(received.slot)].kept.keep(field: index, value)
        }
    }

    private mutating func finishBlock() throws(Failure) {
        guard received.slot != RequestSlot.none else { return }
        let slot = Int(received.slot)
        let response = received.response
        // A received status is an answer, even if the rest of the block is invalid.
        if !response.isTrailer, !response.isInterim, response.status != 0 {
            slots[slot].status = response.status
            slots[slot].contentLength = response.bodyLength
        }
        guard response.isSound(endsStream: received.endsStream) else { return reset(slot, .protocolError) }
        if received.endsStream { return complete(slot) }
        if response.isInterim {
            // An interim response is a separate message (RFC 9110, 15.2): its fields do not belong to the
            // answer.
            slots[slot].kept.reset()
            slots[slot].interimAnswers += 1
            guard slots[slot].interimAnswers <= configuration.peerLimits.interimAnswers else {
                throw .excess(.interimAnswers)
            }
        }
        try countFrame(slot)
    }

    private mutating func countFrame(_ slot: Int) throws(Failure) {
        slots[slot].frames += 1
        guard slots[slot].frames <= configuration.peerLimits.framesOfRequest else { throw .excess(.frames) }
    }

    /// Completes an answer whose last frame has arrived.
    private mutating func complete(_ slot: Int) {
        let length = slots[slot].contentLength
        guard length < 0 || length == slots[slot].bodyReceived else { return reset(slot, .protocolError) }
        slots[slot].isComplete = true
        // The peer answered before it received all of the request (RFC 9113, 8.1), so it does not need the
        // rest.
        if slots[slot].memory != nil, slots[slot].isFramed {
            control.resetStream(slots[slot].stream, .cancel)
        }
        end(slot, .noError)
    }

    // MARK: Bodies

    mutating func takeData(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) {
        let slot = try openSlot(head, "DATA")
        let range = try unpadded(head, payload)
        // Padding and data for a closed stream count as received, too.
        try acknowledge(head.length)
        guard let slot else { return }
        let endsStream = head.flags & FrameHead.Flag.endStream != 0
        slots[slot].unacknowledged += head.length
        guard slots[slot].unacknowledged <= Self.streamWindow else { return reset(slot, .flowControlError) }
        guard slots[slot].status != 0 else { return reset(slot, .protocolError) }
        slots[slot].bodyReceived += range.count
        guard slots[slot].bodyReceived <= configuration.peerLimits.bodyBytes else { throw .excess(.body) }
        let length = slots[slot].contentLength
        guard length < 0 || slots[slot].bodyReceived <= length else { return reset(slot, .protocolError) }
        slots[slot].kept.keep(body: payload.extracting(range), atMost: configuration.maximumKeptBody)
        if endsStream { return complete(slot) }
        try countFrame(slot)
        if slots[slot].unacknowledged >= Self.streamWindow / 2 {
            control.windowUpdate(head.stream, by: slots[slot].unacknowledged)
            slots[slot].unacknowledged = 0
        }
    }

    private mutating func acknowledge(_ bytes: Int) throws(Failure) {
        unacknowledged += bytes
        guard unacknowledged <= Self.receiveWindow else {
            throw .broken(.flowControlError, "more DATA than the connection's window allows")
        }
        guard unacknowledged >= Self.receiveWindow / 2 else { return }
        control.windowUpdate(0, by: unacknowledged)
        unacknowledged = 0
    }

    /// Returns the range of the payload without its padding (RFC 9113, 6.1).
    private func unpadded(_ head: FrameHead, _ payload: Span<UInt8>) throws(Failure) -> Range<Int> {
        guard head.flags & FrameHead.Flag.padded != 0 else { return 0..<payload.count }
        guard payload.count >= 1 else { throw .broken(.frameSizeError, "padding without a length") }
        let end = payload.count - Int(payload[0])
        guard end >= 1 else { throw .broken(.protocolError, "more padding than payload") }
        return 1..<end
    }
}
