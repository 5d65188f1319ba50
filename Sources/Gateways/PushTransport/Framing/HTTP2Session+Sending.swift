// Requests and control frames on their way out.
extension HTTP2Session {
    // MARK: The lent memory

    /// Lends the memory that frames are written to, until the next call. What was written must have been
    /// taken. Less than a kilobyte may hold back a body until there is more.
    package mutating func lend(_ memory: UnsafeMutableRawBufferPointer) { out.lend(memory) }

    /// How many bytes at the start of the lent memory are to be sent; the session writes on after them.
    package mutating func takeWritten() -> Int { out.take() }

    /// Whether the lent memory has frames that were not taken.
    package var hasWritten: Bool { out.count > 0 }

    /// Whether something would be written if there were room.
    package var hasFrames: Bool { !control.isEmpty || !block.isEmpty || waiting.first != nil }

    /// Writes frames until there are none or no room.
    @inline(__always)
    package mutating func pump() {
        guard writeControl() else { return }
        while let slot = waiting.first, !isOver {
            guard write(slot) else { return }
            waiting.remove(slot)
        }
    }

    /// Writes the frames of a new request, behind all others. What the peer or the room lets pass at once, as
    /// nearly always, is never in the list.
    @inline(__always)
    mutating func send(_ slot: Int) {
        guard waiting.first == nil else {
            waiting.append(slot)
            return pump()
        }
        guard writeControl(), !isOver, write(slot) else { return waiting.append(slot) }
    }

    /// What goes before requests. False if there is no room for it.
    @inline(__always)
    private mutating func writeControl() -> Bool {
        lacksRoom = !(block.move(to: &out) && control.move(to: &out))
        return !lacksRoom
    }

    // MARK: Requests

    /// Writes what is left of a request. False if it is to wait in the list.
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
        /// The stream's window is used up: later requests may go first.
        case stalled
        case noRoom
        /// The peer allows nothing more on the connection.
        case held
    }

    @inline(__always)
    private mutating func advance(_ slot: Int) -> Progress {
        guard let memory = slots[slot].memory else { return .finished }
        if !slots[slot].isFramed {
            // A request that could not leave as a whole soon is better not begun: it was never sent then.
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

    /// A smaller part of a body is not worth a frame, unless a window allows no more.
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
        // Within the request's memory: the writer checked offset and length.
        let from = RequestMemory.bytes(of: memory) + slots[slot].bodyOffset + slots[slot].bodySent
        (target + FrameHead.bytes).copyMemory(from: from, byteCount: count)
        slots[slot].bodySent += count
        slots[slot].granted -= count
        connectionWindow -= count
        return true
    }

    /// Opens the stream. False if there is no room; then nothing was done.
    @inline(__always)
    private mutating func frameHeaders(_ slot: Int, _ memory: UnsafeMutableRawPointer) -> Bool {
        let (place, variables) = (Int(slots[slot].template), slots[slot].variables)
        guard templates[place].isCurrent(encoder.generation) else { return frameUnprepared(slot, memory) }
        let length = templates[place].blockBytes(variables: variables, of: memory)
        guard length <= FrameHead.maxPayloadBytes else { return frameLong(slot, memory, length) }
        let position = out.position
        guard let target = out.reserve(FrameHead.bytes + length) else {
            // Memory that is empty and too small never has more room: the block leaves in parts.
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

    /// The template's code does not fit HPACK's table as it is now.
    @inline(never)
    private mutating func frameUnprepared(_ slot: Int, _ memory: UnsafeMutableRawPointer) -> Bool {
        let (place, variables) = (Int(slots[slot].template), slots[slot].variables)
        if templates[place].prepare(
            encoder, indexesSecrets: configuration.indexesSecrets, variables: variables, of: memory)
        {
            return frameHeaders(slot, memory)
        }
        // Once encoded, a block has to be sent: the peer's table follows it.
        guard out.room > FrameHead.bytes else { return false }
        let bytes = templates[place].encodeInserting(
            &encoder, indexesSecrets: configuration.indexesSecrets, variables: variables, of: memory)
        queue(bytes, of: slot)
        return true
    }

    /// A block of more than one frame, or larger than the lent memory.
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

    /// The stream's window grew. A request that waited for it becomes the first, because a request behind it
    /// may wait for this very stream to close.
    mutating func resume(_ slot: Int) {
        guard slots[slot].memory != nil, peerWindow + slots[slot].granted > 0 else { return }
        waiting.prepend(slot)
    }

    // MARK: Control frames

    /// Asks whether the peer is there.
    package mutating func ping() {
        guard !isOver else { return }
        control.ping()
    }

    /// Says goodbye: nothing more is received, and no request is sent.
    package mutating func terminate(_ code: HTTP2ErrorCode) {
        guard !isOver else { return }
        isOver = true
        control.goAway(code)
    }
}
