package import PushModel
package import PushWire

/// One client's exchange over the control socket as a value: its bytes in, orders out, the answer's bytes
/// out.
package struct ControlExchange {
    package enum Order: Equatable {
        case nudge
        case pauseChanged(DeliveryID)
        /// Answer with ``answer(_:)``.
        case status
        /// Say with ``admit()`` whether the operation may come, or with ``refuse(_:)``.
        case admit(mark: String)
        /// Answer with ``answer(_:)``.
        case carryOut([UInt8])
    }

    private enum Phase: Equatable {
        case request
        case admission(bytes: Int)
        case operation(bytes: Int)
        /// The master works on it.
        case carriedOut
        /// When everything is written, it is over.
        case leaving
    }

    private var phase = Phase.request
    private var input: [UInt8] = []
    private var hasEnded = false
    private var output: [UInt8] = []
    private var written = 0

    package init() {}

    package var wantsToRead: Bool {
        guard !hasEnded else { return false }
        return switch phase {
        case .request, .operation: true
        case .admission, .carriedOut, .leaving: false
        }
    }
    package var unwritten: ArraySlice<UInt8> { output[written...] }
    package var isOver: Bool { phase == .leaving && unwritten.isEmpty }

    /// What the client sent.
    package mutating func take(_ bytes: some Collection<UInt8>) { input.append(contentsOf: bytes) }

    /// It will send no more; it may yet read.
    package mutating func end() { hasEnded = true }

    package mutating func wrote(_ bytes: Int) { written += bytes }

    /// To be asked after each ``take(_:)``, ``end()`` and ``admit()`` until there is nothing more to do.
    package mutating func next() -> Order? {
        switch phase {
        case .request: return begin()
        case .operation(let bytes):
            guard input.count >= bytes else {
                // Nobody is there to be told.
                if hasEnded { phase = .leaving }
                return nil
            }
            phase = .carriedOut
            defer { input = [] }
            return .carryOut(Array(input.prefix(bytes)))
        case .admission, .carriedOut, .leaving: return nil
        }
    }

    private mutating func begin() -> Order? {
        // Before there was an `operation`, the end of the stream was as good as the end of the line.
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? (hasEnded ? input.count : nil),
            end < ControlRequest.longestLine
        else {
            if input.count >= ControlRequest.longestLine { refuse(.no(why: "the request is too long")) }
            return nil
        }
        let request = ControlRequest(line: input[..<end])
        input.removeFirst(min(end + 1, input.count))
        switch request {
        case nil: refuse(.no(why: "there is no such request in this version"))
        case .nudge:
            phase = .leaving
            return .nudge
        case .pauseChanged(let delivery):
            phase = .leaving
            return .pauseChanged(delivery)
        case .status:
            phase = .carriedOut
            return .status
        case .operation(let mark, let bytes):
            guard bytes <= ControlRequest.mostBytes else {
                refuse(.no(why: "an operation has \(ControlRequest.mostBytes) bytes at most"))
                return nil
            }
            phase = .admission(bytes: bytes)
            return .admit(mark: mark)
        }
        return nil
    }

    package mutating func admit() {
        guard case .admission(let bytes) = phase else { return }
        output += ControlAnswer.go.line
        phase = .operation(bytes: bytes)
    }

    package mutating func refuse(_ answer: ControlAnswer) { self.answer(answer.line) }

    package mutating func answer(_ bytes: [UInt8]) {
        output += bytes
        (phase, input) = (.leaving, [])
    }
}
