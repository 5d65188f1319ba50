package import PushModel
internal import PushWire

/// The gateway's only answer: an error packet. After sending it, the gateway closes the connection and
/// discards everything after the frame that the packet names (Apple, "Binary Provider API"). Success is
/// silent.
package struct APNsBinaryReply: Equatable, Sendable {
    package static let command: UInt8 = 8
    /// The size of a packet, in bytes: command, status and identifier.
    package static let bytes = 6

    package let status: UInt8
    /// The frame's identifier, as it was sent.
    package let identifier: UInt32

    package init(status: UInt8, identifier: UInt32) {
        self.status = status
        self.identifier = identifier
    }

    /// The meaning of a packet for the frames that were sent.
    package enum Meaning: Equatable, Sendable {
        /// The gateway accepted the frames before the named frame, and refused the named frame.
        case refused(Verdict, reason: String)
        /// The gateway is shutting down; the named frame is the last frame that it accepted.
        case shutdown(reason: String)
        /// "No error": the packet does not concern any frame.
        case nothing
    }

    package var meaning: Meaning {
        switch status {
        case 0: return .nothing
        case 10: return .shutdown(reason: APNsBinaryReasons.shutdown.wire)
        default:
            guard let row = APNsBinaryReasons.row(ofStatus: status) else {
                return .refused(APNsBinaryReasons.unknown.verdict, reason: "\(status) unknown")
            }
            return .refused(row.verdict, reason: row.wire)
        }
    }

    // MARK: What happens instead of an answer

    /// The ways in which a connection ends without a packet that names a frame.
    package enum Failure: Sendable, CaseIterable {
        case closedWithoutPacket, connectionLost, certificate
    }

    /// - Parameter detail: Additional information, such as the number of bytes of a partial packet, which is
    ///   appended to the reason.
    package static func judge(_ failure: Failure, detail: String? = nil) -> (verdict: Verdict, reason: String)
    {
        let row =
            switch failure {
            case .closedWithoutPacket: APNsBinaryReasons.closedWithoutPacket
            case .connectionLost: APNsBinaryReasons.connectionLost
            case .certificate: APNsBinaryReasons.certificate
            }
        return (row.verdict, detail.map { "\(row.wire) \($0)" } ?? row.wire)
    }

    /// Returns the outcome for a token that does not fit into the format or is not hexadecimal. Such a
    /// message is not sent to the gateway.
    package static func unsendableToken() -> Outcome {
        let row = APNsBinaryReasons.invalidToken
        var verdict = row.verdict
        // The message was not sent to the gateway, so it provides no information about the account or the
        // subscriber.
        verdict.scope = .transient
        verdict.quarantine = .no
        return .rejected(verdict, reason: "\(row.wire), not sent")
    }
}

/// Reads the answer of a gateway on one connection. The answer is at most six bytes; bytes after them are
/// ignored.
package struct APNsBinaryReplyDecoder: Sendable {
    package enum DecodedReply: Equatable, Sendable {
        case nothing
        /// The received bytes are not a complete packet yet. If the connection ends, the packet remains
        /// incomplete.
        case part(bytes: Int)
        case reply(APNsBinaryReply)
        /// The received bytes are not an error packet. `bytes` is the number of bytes received so far.
        case garbage(bytes: Int)
    }

    private var packet: [UInt8] = []
    private var count = 0

    package init() {}

    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            count += 1
            if packet.count < APNsBinaryReply.bytes { packet.append(byte) }
        }
    }

    package var decoded: DecodedReply {
        guard let command = packet.first else { return .nothing }
        guard command == APNsBinaryReply.command else { return .garbage(bytes: count) }
        guard packet.count == APNsBinaryReply.bytes else { return .part(bytes: packet.count) }
        let identifier = packet[2...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .reply(APNsBinaryReply(status: packet[1], identifier: identifier))
    }
}
