internal import PushModel
package import PushWire

/// A stream that does not have the format of the feedback service.
package enum FeedbackError: Error, Equatable, CustomStringConvertible {
    /// A tuple states a length that no token can have, so the start of the next tuple cannot be determined.
    case absurdTokenLength(Int)

    package var description: String {
        switch self {
        case .absurdTokenLength(let bytes):
            "a token of \(bytes) bytes, although 1 to \(APNsBinaryRequest.maximumTokenBytes) are possible: "
                + "this is not a feedback service, or it is faulty"
        }
    }
}

/// Decodes the bytes of the feedback service into tuples (Apple, "Binary Provider API"): `u32 seconds since
/// 1970 · u16 token length · token`, big-endian, until the stream ends.
package struct FeedbackDecoder: Sendable {
    private static let headBytes = 6
    private var buffer: [UInt8] = []
    /// The position of the next tuple in the buffer.
    private var position = 0
    private var failure: FeedbackError?

    package init() {}

    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        guard failure == nil else { return }
        buffer.removeFirst(position)
        position = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next complete tuple; `nil` if more bytes are needed.
    /// - Throws: ``FeedbackError``. All later calls throw the same error, because nothing that follows can be
    ///   read.
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

    /// The number of bytes that do not form a complete tuple yet. If it is not 0 at the end of the stream,
    /// the stream was cut.
    package var pendingBytes: Int { buffer.count - position }

    private func integer(at start: Int, bytes: Int) -> UInt32 {
        buffer[start..<start + bytes].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
