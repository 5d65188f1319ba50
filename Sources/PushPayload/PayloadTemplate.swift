package import PushModel

/// A content as one app's devices get it, compiled once per delivery and app: bytes that never change, with slots
/// where a message's own values go.
///
/// **Promises.** What ``render(into:identity:ordinal:)`` writes is a JSON object within ``limitBytes``, or nothing is
/// written. It allocates nothing and calls nothing that does.
/// **Failures.** All at compile time, as ``PayloadError``; at render time only a payload that is too large.
/// **Neighbours.** ``PayloadTemplateBuilder`` fills it; `PayloadTemplate+APNs` says what Apple's devices get.
package struct PayloadTemplate: Equatable, Sendable {
    /// What differs from message to message. Personalised fields will be further cases.
    @usableFromInline
    enum Slot: Equatable, Sendable {
        /// The message's opaque id, 36 characters.
        case identity
        /// The message's ordinal within its delivery, in decimal.
        case ordinal
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
        /// Nothing was written: this many bytes are over the limit or over the buffer's size.
        case tooLarge(bytes: Int)
    }

    /// All literals, end to end.
    @usableFromInline let literals: [UInt8]
    /// Where slots interrupt them, in order.
    @usableFromInline let cuts: [Cut]
    /// The size of the largest payload that any message of the delivery can get.
    package let widestBytes: Int
    /// What the gateway takes.
    package let limitBytes: Int

    /// - Throws: ``PayloadError/tooLong(bytes:limit:)`` where the widest slot values would exceed the limit.
    init(literals: [UInt8], cuts: [Cut], limitBytes: Int) throws(PayloadError) {
        self.literals = literals
        self.cuts = cuts
        self.limitBytes = limitBytes
        widestBytes = cuts.reduce(literals.count) { $0 + Self.widestBytes(of: $1.slot) }
        if widestBytes > limitBytes { throw .tooLong(bytes: widestBytes, limit: limitBytes) }
    }

    /// Ordinals stay below 2³¹, as `_dId` and `_mId` do for apps that parse integers.
    private static func widestBytes(of slot: Slot) -> Int {
        switch slot {
        case .identity: OpaqueID.textBytes
        case .ordinal: 10
        }
    }

    /// Writes the payload of one message to the start of `buffer`.
    ///
    /// - Parameters:
    ///   - identity: what `_mId` says where the app's ids are opaque.
    ///   - ordinal: what it says where they are integers.
    @inlinable
    @unsafe package func render(
        into buffer: UnsafeMutableRawBufferPointer, identity: OpaqueID, ordinal: Int64
    ) -> Rendering {
        var size = literals.count
        for index in cuts.indices {
            switch cuts[index].slot {
            case .identity: size += OpaqueID.textBytes
            case .ordinal: size += DecimalDigits.count(of: ordinal)
            }
        }
        guard size <= limitBytes, size <= buffer.count, let start = buffer.baseAddress else {
            return .tooLarge(bytes: size)
        }
        // Unsafe for speed: this runs once per message. The size just computed is within the buffer, and the stores
        // below are the same literals and slots that it was computed from.
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
                case .ordinal:
                    written += unsafe DecimalDigits.write(ordinal, to: start + written)
                }
            }
            unsafe (start + written).copyMemory(from: literal + taken, byteCount: source.count - taken)
        }
        return .bytes(size)
    }

    /// The same as bytes of their own, for previews and proofs; nil where it is too large.
    package func rendered(identity: OpaqueID, ordinal: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limitBytes)
        // Unsafe only because `render` is: the buffer is the array's own.
        let rendering = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe render(into: buffer, identity: identity, ordinal: ordinal)
        }
        guard case .bytes(let size) = rendering else { return nil }
        return Array(bytes.prefix(size))
    }
}
