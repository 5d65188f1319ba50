package import PushModel

/// A content as one app's devices receive it, compiled once per delivery and app: constant bytes, with slots
/// for a message's own values.
///
/// **Promises.** ``render(into:identity:integerID:token:secondsToLive:parameters:)`` writes a JSON object. At
/// most ``limitBytes`` of its bytes count. If rendering fails, the contents of the buffer are unusable.
/// Rendering allocates nothing and calls nothing that allocates.
/// **Failures.** Faults are reported at compile time, as ``PayloadError``. At render time, the only failures
/// are a payload that is too large and a parameter that the message lacks.
/// **Cost.** The template is a class, and the objects to which it refers are never replaced. Rendering
/// therefore changes no reference counts. A single change of a count would cost up to a fifth of the
/// rendering time.
/// **Neighbours.** ``PayloadTemplateBuilder`` fills the template; each gateway's `Words` determine its
/// contents. `PayloadTemplate+Personal` contains the parts that differ by parameters,
/// `PayloadTemplate+Languages` those that differ by language.
@safe package final class PayloadTemplate: Sendable {
    /// The values that differ from message to message.
    @usableFromInline
    package enum Slot: Equatable, Sendable {
        /// The message's opaque id, 36 characters.
        case identity
        /// The message's id as an integer, in decimal.
        case integer
        /// The device's token, escaped. Some gateways require it in the body. It does not count towards the
        /// limit.
        case token
        /// Tokens that are already JSON: the elements of an array, without its brackets. They do not count
        /// towards the limit.
        case tokenList
        /// The rest of the delivery's validity, in decimal. It does not count towards the limit.
        case secondsToLive
        /// The value of a parameter: an index into ``PersonalPlan/values``.
        case value(Int)
        /// The beginning of a part that may have to be skipped: an index into ``PersonalPlan/sections``.
        case section(Int)
        /// The beginning or the end of a text that may be cut. Nothing is written.
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

    /// The result of one rendering.
    package enum Rendering: Equatable, Sendable {
        /// The number of bytes that were written.
        case bytes(Int)
        /// The size, which exceeds the limit or the buffer's size.
        case tooLarge(bytes: Int)
        /// The text has no fallback, and the message lacks this parameter or has a value that cannot be
        /// written in the format of the text. See ``parameterName(_:)``.
        case missing(parameter: Int)
    }

    /// All literals, end to end.
    @usableFromInline let literals: [UInt8]
    /// The slots that interrupt the literals, in order.
    @usableFromInline let cuts: [Cut]
    /// The number of literal bytes that the gateway does not count because they surround the payload.
    @usableFromInline let wrappingBytes: Int
    /// The template's use of parameters; `nil` if the template uses no parameters.
    @usableFromInline let personal: PersonalProgram?
    /// The same object, in the form that rendering uses. Unsafe for speed: to count one more reference would
    /// take half as long as rendering, because the processor waits until all previous writes are complete.
    /// ``personal`` keeps the object alive.
    let uncounted: Unmanaged<PersonalProgram>?
    /// The templates for devices in particular languages; `nil` if all devices get this template.
    @usableFromInline let languages: LanguageTemplates?
    /// The size, as the gateway counts it, of the largest payload that any message of the delivery can have.
    /// The maximum size of a personalised payload is unknown. For such payloads, this is the size without
    /// sections and with the shortest values of parameters.
    package let widestBytes: Int
    /// The gateway's limit.
    package let limitBytes: Int
    /// Whether the texts were cut to the limit for all messages.
    package let isShortened: Bool
    /// Whether the texts are cut for messages whose payload would be too large.
    let hasEdges: Bool

    /// - Throws: ``PayloadError/tooLong(bytes:limit:)`` if the payload would exceed the limit with the widest
    ///   slot values and the shortest values of parameters; ``PayloadError/places(_:)`` if the template uses
    ///   too many parameters.
    init(
        literals: [UInt8], cuts: [Cut], wrappingBytes: Int = 0, limitBytes: Int,
        personal: PersonalPlan? = nil,
        isShortened: Bool = false
    ) throws(PayloadError) {
        self.literals = literals
        self.cuts = cuts
        self.wrappingBytes = wrappingBytes
        self.limitBytes = limitBytes
        // Rendering has room for only this number of names.
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
        let widest = cuts.reduce(constant + (personal?.minValueBytes ?? 0)) {
            $0 + Self.widestBytes(of: $1.slot)
        }
        // Texts that may be cut can become as short as necessary.
        let least = widest - (personal?.bytesBetweenEdges ?? 0)
        if least > limitBytes { throw .tooLong(bytes: least, limit: limitBytes) }
        widestBytes = hasEdges ? min(widest, limitBytes) : widest
    }

    /// Creates a copy of a template, with other templates for devices in particular languages.
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

    /// Integer ids, like `_dId`, are below 2³¹ and therefore have at most 10 digits.
    private static func widestBytes(of slot: Slot) -> Int {
        switch slot {
        case .identity: OpaqueID.textBytes
        case .integer: 10
        case .token, .tokenList, .secondsToLive, .value, .section, .edge: 0
        }
    }

    /// Whether every message of the delivery has the same payload, so that one request can carry many tokens.
    package var isSameForAll: Bool {
        !isPersonalised && !cuts.contains { $0.slot == .identity || $0.slot == .integer }
    }

    /// Whether the value for the token is a list of tokens in JSON, rather than one token in its original
    /// form.
    package var takesTokenList: Bool { cuts.contains { $0.slot == .tokenList } }

    /// Writes the payload of one message to the start of `buffer`.
    ///
    /// - Parameters:
    ///   - identity: The value of `_mId` if the app's ids are opaque.
    ///   - integerID: The value of `_mId` if the app's ids are integers.
    ///   - token: The device's token in UTF-8, or tokens that are already JSON if ``takesTokenList`` is
    ///     `true`. It is read only if the template has a place for it.
    ///   - secondsToLive: The time for which the gateway keeps the message for a device that is unreachable.
    ///     It is read only if the template has a place for it.
    ///   - parameters: The subscriber's parameters, as a JSON object of strings, preceded by the device's
    ///     language if it matters (``PushModel/MessageFilling``). They are read only if the template
    ///     ``isPersonalised``.
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

    /// - Returns: The total number of bytes of a message, the number of bytes that do not count towards the
    ///   limit, and the number of bytes of the escaped token.
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

    /// Unsafe for speed: this runs once per message. The measured size is within the buffer, and the code
    /// below writes exactly the literals and slots that were measured.
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

    /// Returns a buffer size that is always sufficient for a payload whose token or list of tokens has this
    /// number of bytes.
    package func roomNeeded(tokenBytes: Int) -> Int {
        let own = cuts.reduce(limitBytes + wrappingBytes) { room, cut in
            switch cut.slot {
            case .identity, .integer, .value, .section, .edge: room
            // The longest escape of one byte is six bytes long.
            case .token: room + 6 * tokenBytes
            case .tokenList: room + tokenBytes
            case .secondsToLive: room + 20
            }
        }
        return languages?.templates.reduce(own) { max($0, $1.roomNeeded(tokenBytes: tokenBytes)) } ?? own
    }
}
