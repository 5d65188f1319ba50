internal import PushModel
package import PushWire

/// A stream of the feedback service that is none.
package enum FeedbackError: Error, Equatable, CustomStringConvertible {
    /// Not a length that a token can have: where the next tuple begins cannot be known.
    case absurdTokenLength(Int)

    package var description: String {
        switch self {
        case .absurdTokenLength(let bytes):
            "a token of \(bytes) bytes, 1 to \(APNsBinaryRequest.maximumTokenBytes) are possible: "
                + "this is no feedback service, or a broken one"
        }
    }
}

/// Bytes of the feedback service in, tuples out (Apple, "Binary Provider API"): `u32 seconds since 1970 · u16
/// token length · token`, big-endian, until the stream ends.
package struct FeedbackDecoder: Sendable {
    private static let headBytes = 6
    private var buffer: [UInt8] = []
    /// Where the next tuple begins in it.
    private var position = 0
    private var failure: FeedbackError?

    package init() {}

    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        guard failure == nil else { return }
        buffer.removeFirst(position)
        position = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next whole tuple; nil: more bytes are needed.
    /// - Throws: ``FeedbackError``, from then on always: nothing that follows can be read.
    package mutating func next() throws(FeedbackError) -> FeedbackTuple? {
        if let failure { throw failure }
        guard pendingBytes >= Self.headBytes else { return nil }
        let length = Int(integer(at: position + 4, bytes: 2))
        guard (1...APNsBinaryRequest.maximumTokenBytes).contains(length) else {
            let error = FeedbackError.absurdTokenLength(length)
            failure = error
            throw error
        }
        let end = position + Self.headBytes + length
        guard end <= buffer.count else { return nil }
        let tuple = FeedbackTuple(
            time: WallTime(secondsSince1970: Int64(integer(at: position, bytes: 4))),
            token: HexDigits.text(of: buffer[(end - length)..<end]))
        position = end
        return tuple
    }

    /// Bytes that were fed and belong to no tuple yet: at the end of the stream, it was cut.
    package var pendingBytes: Int { buffer.count - position }

    private func integer(at start: Int, bytes: Int) -> UInt32 {
        buffer[start..<start + bytes].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
