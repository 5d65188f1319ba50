// Sending of requests and control frames.
extension HTTP2Session {
    // MARK: The lent memory

    /// Lends memory to which the session writes frames until the next call of this method. Before the call,
    /// all bytes written to the previous memory must have been taken. If less than a kilobyte is lent, a body
    /// may be delayed until there is more space.
    package mutating func setBuffer(_ memory: UnsafeMutableRawBufferPointer) { out.setBuffer(memory) }

    /// Returns the number of bytes at the start of the lent memory that are to be sent. The session writes
    /// further frames after these bytes.
    package mutating func takeWritten() -> Int { out.take() }

    /// Whether the lent memory contains frames that have not been taken.
    package var hasWritten: Bool { out.count > 0 }

    /// Whether the session would write frames if there were space.
    package var hasFrames: Bool { !control.isEmpty || !block.isEmpty || waiting.first != nil }

    /// Writes frames until none are left or the space is used up.
    @inline(__always)
    package mutating func pump() {
        guard writeControl() else { return }
        while let slot = waiting.first, !isOver {
            guard write(slot) else { return }
            waiting.remove(slot)
        }
    }

    /// Writes the frames of a new request after all others. If the peer's limits and the free space permit
    /// the request immediately, as is nearly always the case, it is not put on the list of waiting requests.
    @inline(__always)
    mutating func send(_ slot: Int) {
        guard waiting.first == nil else {
            waiting.append(slot)
            return pump()
        }
        guard writeControl(), !isOver, write(slot) else { return waiting.append(slot) }
    }

    /// Writes the frames that precede requests. Returns false if there is not enough space.
    @inline(__always)
    private mutating func writeControl() -> Bool {
        lacksRoom = !(block.move(to: &out) && control.move(to: &out))
        return !lacksRoom
    }

    // MARK: Requests

    /// Writes the rest of a request. Returns false if the request has to wait in the list.
    @inline(__always)
    private mutating func write(_ slot: Int) -> Bool {
        switch advance(slot) {
        case .finished: finishSending(slot)
        case .stalled: break
        case .noRoom:
            lacksRoom = true
            return false
        case .held: return false
        }
        return true
    }

    private enum Progress {
        case finished
        /// The stream's window is used up; later requests may be sent first.
        case stalled
        case noRoom
        /// The peer allows no more data on the connection.
        case held
    }

    @inline(__always)
    private mutating func advance(_ slot: Int) -> Progress {
        guard let memory = slots[slot].memory else { return .finished }
        if !slots[slot].isFramed {
            // A request that cannot be sent completely soon is not started, so that it counts as never sent.
            guard !isSentAway, openStreams < Int(peerMaxStreams),
                slots[slot].bodyLength == 0 || connectionWindow > 0
            else { return .held }
            guard frameHeaders(slot, memory) else { return .noRoom }
        }
        while slots[slot].bodySent < slots[slot].bodyLength {
            let window = peerWindow + slots[slot].granted
            guard window > 0 else { return .stalled }
            guard connectionWindow > 0 else { return .held }
            let rest = slots[slot].bodyLength - slots[slot].bodySent
            let allowed = min(rest, window, connectionWindow, FrameHead.maxPayloadBytes)
            guard frameData(slot, memory, allowed, of: rest) else { return .noRoom }
        }
        return .finished
    }

    /// The minimum size of a part of a body, in bytes. A smaller part is sent in a separate frame only if a
    /// window allows no more.
    private static let leastPart = 1024

    @inline(__always)
    private mutating func frameData(
        _ slot: Int, _ memory: UnsafeMutableRawPointer, _ allowed: Int, of rest: Int
    ) -> Bool {
        guard block.isEmpty else { return false }
        var count = allowed
        if out.room < FrameHead.bytes + count {
            guard out.room >= FrameHead.bytes + Self.leastPart else { return false }
            count = out.room - FrameHead.bytes
        }
        guard let target = out.reserve(FrameHead.bytes + count) else { return false }
        let flags = count == rest ? FrameHead.Flag.endStream : 0
        target.store(FrameHead(length: count, type: .data, flags: flags, stream: slots[slot].stream))
        // The range is within the request's memory, because the writer checked the offset and the length.
        let from = RequestMemory.bytes(of: memory) + slots[slot].bodyOffset + slots[slot].bodySent
        (target + FrameHead.bytes).copyMemory(from: from, byteCount: count)
        slots[slot].bodySent += count
        slots[slot].granted -= count
        connectionWindow -= count
        return true
    }

    /// Opens the stream. Returns false if there is not enough space, in which case nothing was done.
    @inline(__always)
    private mutating func frameHeaders(_ slot: Int, _ memory: UnsafeMutableRawPointer) -> Bool {
        let (place, variables) = (Int(slots[slot].template), slots[slot].variables)
        guard templates[place].isCurrent(encoder.generation) else { return frameUnprepared(slot, memory) }
        let length = templates[place].blockBytes(variables: variables, of: memory)
        guard length <= FrameHead.maxPayloadBytes else { return frameLong(slot, memory, length) }
        let position = out.position
        guard let target = out.reserve(FrameHead.bytes + length) else {
            // If the block does not fit even though the lent memory is empty, it will never fit, so it is
            // sent in parts.
            return out.count == 0 && frameLong(slot, memory, length)
        }
        var flags = FrameHead.Flag.endHeaders
        if slots[slot].bodyLength == 0 { flags |= FrameHead.Flag.endStream }
        target.store(FrameHead(length: length, type: .headers, flags: flags, stream: slots[slot].stream))
        templates[place].write(variables: variables, of: memory, to: target + FrameHead.bytes)
        opened(slot, at: position)
        return true
    }

    @inline(__always)
    private mutating func opened(_ slot: Int, at position: UInt64) {
        let place = Int(slots[slot].template)
        templates[place].uses += 1
        templates[place].waiting -= 1
        slots[slot].firstByte = position
        lastFramed = slots[slot].stream
        openStreams += 1
        streams.insert(slots[slot].stream, slot: slot)
    }

    /// Handles a template whose code does not match the current state of HPACK's table.
    @inline(never)
    private mutating func frameUnprepared(_ slot: Int, _ memory: UnsafeMutableRawPointer) -> Bool {
        let (place, variables) = (Int(slots[slot].template), slots[slot].variables)
        if templates[place].prepare(
            encoder, indexesSecrets: configuration.indexesSecrets, variables: variables, of: memory)
        {
            return frameHeaders(slot, memory)
        }
        // An encoded block must be sent, because the peer's table depends on it.
        guard out.room > FrameHead.bytes else { return false }
        let bytes = templates[place].encodeInserting(
            &encoder, indexesSecrets: configuration.indexesSecrets, variables: variables, of: memory)
        queue(bytes, of: slot)
        return true
    }

    /// Writes a block that needs more than one frame, or that is larger than the lent memory.
    @inline(never)
    private mutating func frameLong(_ slot: Int, _ memory: UnsafeMutableRawPointer, _ length: Int) -> Bool {
        guard out.room > FrameHead.bytes else { return false }
        let (place, variables) = (Int(slots[slot].template), slots[slot].variables)
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { target, count in
            templates[place].write(
                variables: variables, of: memory, to: UnsafeMutableRawPointer(target.baseAddress!))
            count = length
        }
        queue(bytes, of: slot)
        return true
    }

    private mutating func queue(_ bytes: [UInt8], of slot: Int) {
        let position = out.position
        block.headers(slots[slot].stream, bytes, endsStream: slots[slot].bodyLength == 0)
        opened(slot, at: position)
        if !block.move(to: &out) { lacksRoom = true }
    }

    /// Resumes a stream whose window grew. A request that waited for the window becomes the first in the
    /// list, because a later request may wait for this stream to close.
    mutating func resume(_ slot: Int) {
        guard slots[slot].memory != nil, peerWindow + slots[slot].granted > 0 else { return }
        waiting.prepend(slot)
    }

    // MARK: Control frames

    /// Sends a PING to check that the peer is alive.
    package mutating func ping() {
        guard !isOver else { return }
        control.ping()
    }

    /// Sends a GOAWAY. After that, nothing more is received and no request is sent.
    package mutating func terminate(_ code: HTTP2ErrorCode) {
        guard !isOver else { return }
        isOver = true
        control.goAway(code)
    }
}
