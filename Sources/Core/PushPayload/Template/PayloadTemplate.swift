package import PushModel

/// A content as one app's devices get it, compiled once per delivery and app: bytes that never change, with
/// slots where a message's own values go.
///
/// **Promises.** What ``render(into:identity:integerID:token:secondsToLive:parameters:)`` writes is a JSON
/// object of which no more than ``limitBytes`` count; otherwise what stands in the buffer is of no use. It
/// allocates nothing and calls nothing that does.
/// **Failures.** All at compile time, as ``PayloadError``; at render time only a payload that is too large, or
/// a parameter that the message lacks.
/// **Cost.** A class, and what it refers to is never exchanged: rendering counts no references, each of which would
/// cost as much as a fifth of it.
/// **Neighbours.** ``PayloadTemplateBuilder`` fills it: each gateway's `Words` say with what. `PayloadTemplate+Personal`
/// has what differs by parameters, `PayloadTemplate+Languages` what differs by language.
@safe package final class PayloadTemplate: Sendable {
    /// What differs from message to message.
    @usableFromInline
    package enum Slot: Equatable, Sendable {
        /// The message's opaque id, 36 characters.
        case identity
        /// The message's id as an integer, in decimal.
        case integer
        /// The device's token, escaped: some gateways want it in the body. Does not count.
        case token
        /// Tokens that are JSON already: the inside of an array. Does not count.
        case tokenList
        /// What is left of the delivery's validity, in decimal. Does not count.
        case secondsToLive
        /// What a parameter says: an index into ``PersonalPlan/values``.
        case value(Int)
        /// What follows may have to be passed over: an index into ``PersonalPlan/sections``.
        case section(Int)
        /// A text that may be cut begins or ends here; nothing is written.
        case edge(TextEdge)
    }

    /// A slot and the end of the literal bytes before it.
    @usableFromInline
    struct Cut: Equatable, Sendable {
        @usableFromInline var literalEnd: Int
        @usableFromInline var slot: Slot

        init(literalEnd: Int, slot: Slot) {
            self.literalEnd = literalEnd
            self.slot = slot
        }
    }

    /// How one rendering ended.
    package enum Rendering: Equatable, Sendable {
        /// This many bytes were written.
        case bytes(Int)
        /// This many bytes are over the limit or over the buffer's size.
        case tooLarge(bytes: Int)
        /// The message has no such parameter, or it cannot be written as the text wants it, and the text says
        /// nothing instead; ``parameterName(_:)``.
        case missing(parameter: Int)
    }

    /// All literals, end to end.
    @usableFromInline let literals: [UInt8]
    /// Where slots interrupt them, in order.
    @usableFromInline let cuts: [Cut]
    /// How many of the literals the gateway does not count: what surrounds the payload.
    @usableFromInline let wrappingBytes: Int
    /// What it asks of parameters; nil: nothing.
    @usableFromInline let personal: PersonalProgram?
    /// The same as rendering has it. Unsafe for speed: to count one more reference costs half of what rendering does,
    /// because the processor waits until all that was written before is written. ``personal`` keeps it.
    let uncounted: Unmanaged<PersonalProgram>?
    /// What devices of some languages get instead; nil: all get this.
    @usableFromInline let languages: LanguageTemplates?
    /// The size, as the gateway counts, of the largest payload that any message of the delivery can get; of a
    /// personalised one, where nobody knows that, of what the smallest has at least.
    package let widestBytes: Int
    /// What the gateway takes.
    package let limitBytes: Int
    /// Whether its texts were cut to the limit, for all messages.
    package let isShortened: Bool
    /// Whether its texts are cut for messages whose payload would be too large.
    let hasEdges: Bool

    /// - Throws: ``PayloadError/tooLong(bytes:limit:)`` where the widest slot values would exceed the limit, or
    ///   no parameters would make it small enough; ``PayloadError/places(_:)`` where it asks for too many.
    init(
        literals: [UInt8], cuts: [Cut], wrappingBytes: Int = 0, limitBytes: Int,
        personal: PersonalPlan? = nil,
        isShortened: Bool = false
    ) throws(PayloadError) {
        self.literals = literals
        self.cuts = cuts
        self.wrappingBytes = wrappingBytes
        self.limitBytes = limitBytes
        // Rendering has room for so many.
        if let count = personal?.names.count, count > PersonalPlan.maximumNames {
            throw PersonalPlan.tooManyNames(count)
        }
        let program = personal.map(PersonalProgram.init)
        self.personal = program
        unsafe uncounted = program.map { unsafe Unmanaged.passUnretained($0) }
        let constant = literals.count - wrappingBytes - (personal?.bytesInSections ?? 0)
        languages = nil
        self.isShortened = isShortened
        let edges = cuts.filter { if case .edge = $0.slot { true } else { false } }
        hasEdges = !edges.isEmpty
        let widest = cuts.reduce(constant + (personal?.leastValueBytes ?? 0)) {
            $0 + Self.widestBytes(of: $1.slot)
        }
        // Texts that may be cut can become as short as need be.
        let least = widest - (personal?.bytesBetweenEdges ?? 0)
        if least > limitBytes { throw .tooLong(bytes: least, limit: limitBytes) }
        widestBytes = hasEdges ? min(widest, limitBytes) : widest
    }

    /// The same, with what devices of some languages get instead.
    init(_ base: PayloadTemplate, _ languages: LanguageTemplates) {
        (literals, cuts, wrappingBytes) = (base.literals, base.cuts, base.wrappingBytes)
        (limitBytes, personal) = (base.limitBytes, base.personal)
        (isShortened, hasEdges) = (base.isShortened, base.hasEdges)
        unsafe uncounted = base.uncounted
        widestBytes = languages.templates.reduce(base.widestBytes) { max($0, $1.widestBytes) }
        self.languages = languages
    }

    /// Whether messages differ by their subscribers' parameters or languages.
    package var isPersonalised: Bool { personal != nil || languages != nil }

    /// Ids that are integers stay below 2³¹, as `_dId` does.
    private static func widestBytes(of slot: Slot) -> Int {
        switch slot {
        case .identity: OpaqueID.textBytes
        case .integer: 10
        case .token, .tokenList, .secondsToLive, .value, .section, .edge: 0
        }
    }

    /// Whether every message of the delivery gets the same payload, so that one request may carry many
    /// tokens.
    package var isSameForAll: Bool {
        !isPersonalised && !cuts.contains { $0.slot == .identity || $0.slot == .integer }
    }

    /// Whether what goes in for the token is a list of tokens, as JSON, rather than one token as it is.
    package var takesTokenList: Bool { cuts.contains { $0.slot == .tokenList } }

    /// Writes the payload of one message to the start of `buffer`.
    ///
    /// - Parameters:
    ///   - identity: what `_mId` says where the app's ids are opaque.
    ///   - integerID: what it says where they are integers.
    ///   - token: the device's token in UTF-8; or, where ``takesTokenList``, tokens that are JSON already.
    ///     Read only where the template has a place for it.
    ///   - secondsToLive: how long the gateway keeps it for a device that is away, likewise.
    ///   - parameters: the subscriber's, a JSON object of strings, behind the device's language where that counts
    ///     (``PushModel/MessageFilling``). Read only where it ``isPersonalised``.
    @inlinable
    @unsafe package func render(
        into buffer: UnsafeMutableRawBufferPointer, identity: OpaqueID, integerID: Int64,
        token: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0),
        secondsToLive: Int64 = 0,
        parameters: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Rendering {
        if personal != nil || languages != nil {
            return unsafe renderPersonal(
                into: buffer, identity: identity, integerID: integerID, token: token,
                secondsToLive: secondsToLive, parameters: parameters)
        }
        let (size, uncounted, tokenBytes) = unsafe measure(integerID, token, secondsToLive)
        guard size - uncounted <= limitBytes else { return .tooLarge(bytes: size - uncounted) }
        guard size <= buffer.count, let start = buffer.baseAddress else { return .tooLarge(bytes: size) }
        unsafe write(
            to: start, identity: identity, integerID: integerID, token: token, tokenBytes: tokenBytes,
            secondsToLive: secondsToLive)
        return .bytes(size)
    }

    /// - Returns: all bytes of a message, those that do not count, and those of its token as it is escaped.
    @inlinable
    @inline(__always)
    @unsafe func measure(
        _ integerID: Int64, _ token: UnsafeRawBufferPointer, _ secondsToLive: Int64
    ) -> (size: Int, uncounted: Int, tokenBytes: Int) {
        var size = literals.count
        var uncounted = wrappingBytes
        var tokenBytes = 0
        for index in cuts.indices {
            switch cuts[index].slot {
            case .identity: size += OpaqueID.textBytes
            case .integer: size += DecimalDigits.count(of: integerID)
            case .token:
                tokenBytes = unsafe EscapedBytes.count(of: token)
                size += tokenBytes
                uncounted += tokenBytes
            case .tokenList:
                size += token.count
                uncounted += token.count
            case .secondsToLive:
                let digits = DecimalDigits.count(of: secondsToLive)
                size += digits
                uncounted += digits
            case .value, .section, .edge: break
            }
        }
        return (size, uncounted, tokenBytes)
    }

    /// Unsafe for speed: this runs once per message. The size that was measured is within the buffer, and the
    /// stores below are the same literals and slots that it was measured of.
    @inlinable
    @inline(__always)
    @unsafe func write(
        to start: UnsafeMutableRawPointer, identity: OpaqueID, integerID: Int64,
        token: UnsafeRawBufferPointer, tokenBytes: Int, secondsToLive: Int64
    ) {
        unsafe literals.withUnsafeBytes { source in
            guard let literal = source.baseAddress else { return }
            var written = 0
            var taken = 0
            for index in cuts.indices {
                let cut = cuts[index]
                unsafe (start + written).copyMemory(from: literal + taken, byteCount: cut.literalEnd - taken)
                written += cut.literalEnd - taken
                taken = cut.literalEnd
                switch cut.slot {
                case .identity:
                    unsafe identity.write(to: start + written)
                    written += OpaqueID.textBytes
                case .integer:
                    written += unsafe DecimalDigits.write(integerID, to: start + written)
                case .token:
                    unsafe EscapedBytes.write(token, escapedCount: tokenBytes, to: start + written)
                    written += tokenBytes
                case .tokenList:
                    if let list = token.baseAddress {
                        unsafe (start + written).copyMemory(from: list, byteCount: token.count)
                    }
                    written += token.count
                case .secondsToLive:
                    written += unsafe DecimalDigits.write(secondsToLive, to: start + written)
                case .value, .section, .edge: break
                }
            }
            unsafe (start + written).copyMemory(from: literal + taken, byteCount: source.count - taken)
        }
    }

    /// A buffer size that is always enough for a token, or a list, of this many bytes.
    package func roomNeeded(tokenBytes: Int) -> Int {
        let own = cuts.reduce(limitBytes + wrappingBytes) { room, cut in
            switch cut.slot {
            case .identity, .integer, .value, .section, .edge: room
            // Six bytes are the longest escape of one.
            case .token: room + 6 * tokenBytes
            case .tokenList: room + tokenBytes
            case .secondsToLive: room + 20
            }
        }
        return languages?.templates.reduce(own) { max($0, $1.roomNeeded(tokenBytes: tokenBytes)) } ?? own
    }
}
