package import PushModel

/// Rendering of messages that differ by their subscribers' parameters or languages. One pass writes the bytes
/// for which there is room and counts the rest.
extension PayloadTemplate {
    @usableFromInline
    @unsafe func renderPersonal(
        into buffer: UnsafeMutableRawBufferPointer, identity: OpaqueID, integerID: Int64,
        token: UnsafeRawBufferPointer, secondsToLive: Int64, parameters: UnsafeRawBufferPointer
    ) -> Rendering {
        let message = unsafe MessageValues(
            identity: identity, integerID: integerID, token: token, secondsToLive: secondsToLive)
        let filling = unsafe SplitFilling(parameters)
        guard let languages, let place = unsafe languages.table.place(of: filling.language) else {
            return unsafe render(message, filling, into: buffer)
        }
        let rendering = unsafe languages.templates[place].render(message, filling, into: buffer)
        guard case .missing(let parameter) = rendering else { return rendering }
        return .missing(parameter: parameter + (place + 1) * Self.languageStride)
    }

    /// The difference between the codes of two consecutive languages in ``Rendering/missing(parameter:)``. It
    /// is twice as large as the maximum number of placeholders in a content, because each placeholder has two
    /// codes.
    static var languageStride: Int { 1 << 24 }

    /// Renders this template alone, regardless of the language.
    @unsafe private func render(
        _ message: MessageValues, _ filling: SplitFilling, into buffer: UnsafeMutableRawBufferPointer
    ) -> Rendering {
        guard let uncounted = unsafe uncounted else {
            return unsafe render(Self.asksNothing, message, filling, into: buffer)
        }
        return unsafe uncounted._withUnsafeGuaranteedRef {
            unsafe render($0, message, filling, into: buffer)
        }
    }

    @inline(__always)
    @unsafe private func render(
        _ program: PersonalProgram, _ message: MessageValues, _ filling: SplitFilling,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Rendering {
        unsafe withValues(of: program, filling) { values in
            unsafe write(program, values, filling.language, message, into: buffer)
        }
    }

    @inline(__always)
    @unsafe private func withValues<Answer>(
        of program: PersonalProgram, _ filling: SplitFilling, _ body: (ParameterValues) -> Answer
    ) -> Answer {
        // A range for each of the names, on the stack.
        unsafe withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: PersonalPlan.maximumNames) {
            all in
            let found = unsafe UnsafeMutableBufferPointer(
                rebasing: all[..<min(program.names.count, PersonalPlan.maximumNames)])
            unsafe found.initialize(repeating: 0..<0)
            if !program.names.isEmpty {
                var scan = unsafe ParameterScan(filling.parameters)
                unsafe scan.find(program, found)
            }
            return unsafe body(ParameterValues(filling.parameters, found))
        }
    }

    private static let asksNothing = PersonalProgram(PersonalPlan())

    @inline(__always)
    @unsafe private func write(
        _ program: PersonalProgram, _ values: ParameterValues, _ language: UnsafeRawBufferPointer,
        _ message: MessageValues, into buffer: UnsafeMutableRawBufferPointer
    ) -> Rendering {
        var pen = unsafe BoundedWriter(buffer)
        var edges = TextEdges()
        switch unsafe draw(program, values, language, message, with: &pen, &edges) {
        case .missing(let parameter): return .missing(parameter: parameter)
        case .uncounted(let uncounted):
            let counted = pen.count - uncounted
            guard counted <= limitBytes else {
                guard hasEdges else { return .tooLarge(bytes: counted) }
                return unsafe writeShortened(
                    program, values, language, message, size: pen.count, excess: counted - limitBytes,
                    into: buffer)
            }
            return pen.fits ? .bytes(pen.count) : .tooLarge(bytes: pen.count)
        }
    }

    /// Handles a payload that is too large: writes it again, into a buffer with room for all of it, and then
    /// cuts it. This is rare, so the function may allocate.
    @inline(never)
    @unsafe private func writeShortened(
        _ program: PersonalProgram, _ values: ParameterValues, _ language: UnsafeRawBufferPointer,
        _ message: MessageValues, size: Int, excess: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> Rendering {
        var bytes = [UInt8](repeating: 0, count: size)
        var edges = TextEdges()
        unsafe bytes.withUnsafeMutableBytes { whole in
            var pen = unsafe BoundedWriter(whole)
            _ = unsafe draw(program, values, language, message, with: &pen, &edges)
        }
        guard edges.cut(excess, from: &bytes) else { return .tooLarge(bytes: limitBytes + excess) }
        guard bytes.count <= buffer.count else { return .tooLarge(bytes: bytes.count) }
        unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        return .bytes(bytes.count)
    }

    /// Reports whether a message's payload would have to be cut, for this template alone, regardless of the
    /// language.
    @unsafe func isOverLimit(
        identity: OpaqueID, integerID: Int64, token: UnsafeRawBufferPointer, secondsToLive: Int64,
        parameters: UnsafeRawBufferPointer
    ) -> Bool {
        let message = unsafe MessageValues(
            identity: identity, integerID: integerID, token: token, secondsToLive: secondsToLive)
        let filling = unsafe SplitFilling(parameters)
        guard let personal else { return false }
        return unsafe withValues(of: personal, filling) { values in
            // The buffer is empty, so the pen only counts.
            var pen = unsafe BoundedWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
            var edges = TextEdges()
            switch unsafe draw(personal, values, filling.language, message, with: &pen, &edges) {
            case .missing: return false
            case .uncounted(let uncounted): return pen.count - uncounted > limitBytes
            }
        }
    }

    /// The result of writing a payload.
    private enum RenderResult {
        /// The number of bytes that the gateway does not count.
        case uncounted(Int)
        /// See ``Rendering/missing(parameter:)``.
        case missing(Int)
    }

    /// Unsafe for speed: this runs once per message. The pen stays within its buffer.
    @inline(__always)
    @unsafe private func draw(
        _ program: PersonalProgram, _ values: ParameterValues, _ language: UnsafeRawBufferPointer,
        _ message: MessageValues, with pen: inout BoundedWriter, _ edges: inout TextEdges
    ) -> RenderResult {
        var uncounted = wrappingBytes
        var (index, taken) = (0, 0)
        while index < cuts.count {
            let cut = cuts[index]
            index += 1
            pen.write(literals, taken..<cut.literalEnd)
            taken = cut.literalEnd
            switch cut.slot {
            case .value(let place):
                let value = program.values[place]
                let isThere = values.has(value.name)
                if isThere, value.format == nil {
                    unsafe pen.write(values[value.name])
                } else if isThere, let format = value.format,
                    unsafe pen.write(values[value.name], as: format, of: program.format(language))
                {
                    continue
                } else if let fallback = value.fallback {
                    pen.write(program.texts, fallback)
                } else {
                    return .missing(place << 1 | (isThere ? 1 : 0))
                }
            case .section(let place):
                let section = program.sections[place]
                if values.isOn(section.name) == section.isInverted {
                    (index, taken) = (section.endCut, section.endLiteral)
                }
            case .edge(let edge): edges.note(edge, at: pen.count)
            default:
                let before = pen.count
                pen.write(cut.slot, message)
                if cut.slot != .identity, cut.slot != .integer { uncounted += pen.count - before }
            }
        }
        pen.write(literals, taken..<literals.count)
        return .uncounted(uncounted)
    }
}

/// The two parts of a ``PushModel/MessageFilling``. It is valid only during the call that receives the bytes.
@safe struct SplitFilling {
    /// The language; empty if it was not requested, or if the device reported none.
    let language: UnsafeRawBufferPointer
    let parameters: UnsafeRawBufferPointer

    /// Unsafe because only the caller knows the bytes. All reads and results are within them.
    @unsafe init(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe bytes.first == MessageFilling.mark else {
            unsafe language = UnsafeRawBufferPointer(start: nil, count: 0)
            unsafe parameters = bytes
            return
        }
        var end = 1
        while end < bytes.count, unsafe bytes[end] != MessageFilling.mark { end += 1 }
        unsafe language = UnsafeRawBufferPointer(rebasing: bytes[1..<end])
        unsafe parameters = UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...])
    }
}

/// The values that differ from message to message, other than parameters. It is valid only during the call
/// that receives the token.
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

extension BoundedWriter {
    fileprivate mutating func write(_ slot: PayloadTemplate.Slot, _ message: MessageValues) {
        switch slot {
        case .identity:
            if let start = unsafe room(for: OpaqueID.textBytes) { unsafe message.identity.write(to: start) }
            advance(OpaqueID.textBytes)
        case .integer: write(digitsOf: message.integerID)
        case .secondsToLive: write(digitsOf: message.secondsToLive)
        case .token:
            let size = unsafe EscapedBytes.count(of: message.token)
            if let start = unsafe room(for: size) {
                unsafe EscapedBytes.write(message.token, escapedCount: size, to: start)
            }
            advance(size)
        case .tokenList: unsafe write(message.token)
        case .value, .section, .edge: break
        }
    }
}
