/// The first nine bytes of an HTTP/2 frame (RFC 9113, 4.1).
package struct FrameHead: Equatable, Sendable {
    package static let bytes = 9
    /// The maximum payload size that we receive and send: the initial value of SETTINGS_MAX_FRAME_SIZE, which
    /// a peer can only raise.
    package static let maxPayloadBytes = 1 << 14

    package var length: Int
    package var type: UInt8
    package var flags: UInt8
    package var stream: Int32

    package init(length: Int, type: Kind, flags: UInt8 = 0, stream: Int32 = 0) {
        (self.length, self.type, self.flags, self.stream) = (length, type.rawValue, flags, stream)
    }

    /// - Parameter bytes: Bytes that start with a head; at least ``bytes`` long.
    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        type = bytes[3]
        flags = bytes[4]
        // The first bit is reserved and ignored.
        stream = Int32(bitPattern: bytes.bigEndian(at: 5) & 0x7FFF_FFFF)
    }

    package var kind: Kind? { Kind(rawValue: type) }

    /// The frame types of RFC 9113, 6. Frames of other types are ignored.
    package enum Kind: UInt8, Sendable {
        case data = 0, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
        case continuation
    }

    /// The flags of RFC 9113, 6.
    package enum Flag {
        package static let acknowledgement: UInt8 = 0x1
        package static let endStream: UInt8 = 0x1
        package static let endHeaders: UInt8 = 0x4
        package static let padded: UInt8 = 0x8
        package static let priority: UInt8 = 0x20
    }
}

extension Span<UInt8> {
    func bigEndian(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}

/// Error codes of RST_STREAM and GOAWAY (RFC 9113, 7).
package enum HTTP2ErrorCode: UInt32, Sendable {
    case noError = 0, protocolError, internalError, flowControlError, settingsTimeout, streamClosed
    case frameSizeError, refusedStream, cancel, compressionError, connectError, enhanceYourCalm
    case inadequateSecurity, http11Required

    /// The name in the RFC.
    package var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        }
    }
}
