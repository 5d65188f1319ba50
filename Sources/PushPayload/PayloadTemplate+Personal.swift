package import PushModel

/// Rendering where messages differ by their subscribers' parameters: one pass that writes what there is room
/// for and counts the rest.
extension PayloadTemplate {
    @usableFromInline
    @unsafe func renderPersonal(
        into buffer: UnsafeMutableRawBufferPointer, identity: OpaqueID, integerID: Int64,
        token: UnsafeRawBufferPointer, secondsToLive: Int64, parameters: UnsafeRawBufferPointer
    ) -> Rendering {
        guard let plan = personal else { return .bytes(0) }
        let message = unsafe MessageValues(
            identity: identity, integerID: integerID, token: token, secondsToLive: secondsToLive)
        // On the stack: a range for each of the names.
        return unsafe withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: plan.names.count) {
            found in
            unsafe found.initialize(repeating: 0..<0)
            var scan = unsafe ParameterScan(parameters)
            unsafe scan.find(plan.names, found)
            return unsafe write(plan, ParameterValues(parameters, found), message, into: buffer)
        }
    }

    /// Unsafe for speed: this runs once per message. The pen keeps to its buffer.
    @unsafe private func write(
        _ plan: PersonalPlan, _ values: ParameterValues, _ message: MessageValues,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Rendering {
        var pen = unsafe BoundedPen(buffer)
        var uncounted = wrappingBytes
        var (index, taken) = (0, 0)
        while index < cuts.count {
            let cut = cuts[index]
            index += 1
            pen.write(literals, taken..<cut.literalEnd)
            taken = cut.literalEnd
            switch cut.slot {
            case .value(let place):
                let value = plan.values[place]
                if values.has(value.name) {
                    unsafe pen.write(values[value.name])
                } else if let fallback = value.fallback {
                    pen.write(fallback, 0..<fallback.count)
                } else {
                    return .missing(parameter: value.name)
                }
            case .section(let place):
                let section = plan.sections[place]
                if values.isOn(section.name) == section.isInverted {
                    (index, taken) = (section.endCut, section.endLiteral)
                }
            default:
                let before = pen.count
                pen.write(cut.slot, message)
                if cut.slot != .identity, cut.slot != .integer { uncounted += pen.count - before }
            }
        }
        pen.write(literals, taken..<literals.count)
        guard pen.count - uncounted <= limitBytes else { return .tooLarge(bytes: pen.count - uncounted) }
        return pen.fits ? .bytes(pen.count) : .tooLarge(bytes: pen.count)
    }
}

/// What differs from message to message besides parameters. Lives as long as the call that gets the token.
@safe private struct MessageValues {
    let identity: OpaqueID
    let integerID: Int64
    let token: UnsafeRawBufferPointer
    let secondsToLive: Int64

    @unsafe init(identity: OpaqueID, integerID: Int64, token: UnsafeRawBufferPointer, secondsToLive: Int64) {
        self.identity = identity
        self.integerID = integerID
        unsafe self.token = token
        self.secondsToLive = secondsToLive
    }
}

/// Writes to the end of its buffer and counts on behind it. Lives as long as the call that gets the buffer.
@safe private struct BoundedPen {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    @unsafe init(_ buffer: UnsafeMutableRawBufferPointer) { unsafe self.buffer = buffer }

    var fits: Bool { unsafe count <= buffer.count }

    @inline(__always)
    mutating func write(_ bytes: [UInt8], _ range: Range<Int>) {
        // The ranges are the array's own.
        unsafe bytes.withUnsafeBytes { unsafe write(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    @inline(__always)
    @unsafe mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress, let start = unsafe room(for: bytes.count) {
            unsafe start.copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    mutating func write(_ slot: PayloadTemplate.Slot, _ message: MessageValues) {
        switch slot {
        case .identity:
            if let start = unsafe room(for: OpaqueID.textBytes) { unsafe message.identity.write(to: start) }
            count += OpaqueID.textBytes
        case .integer: write(digitsOf: message.integerID)
        case .secondsToLive: write(digitsOf: message.secondsToLive)
        case .token:
            let size = unsafe EscapedBytes.count(of: message.token)
            if let start = unsafe room(for: size) {
                unsafe EscapedBytes.write(message.token, escapedCount: size, to: start)
            }
            count += size
        case .tokenList: unsafe write(message.token)
        case .value, .section: break
        }
    }

    private mutating func write(digitsOf number: Int64) {
        let size = DecimalDigits.count(of: number)
        if let start = unsafe room(for: size) { _ = unsafe DecimalDigits.write(number, to: start) }
        count += size
    }

    /// Where the next bytes go; nil where they do not fit any more.
    @inline(__always)
    @unsafe private func room(for size: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe buffer.baseAddress, unsafe count + size <= buffer.count else { return nil }
        return unsafe start + count
    }
}
