package import PushModel
internal import PushWire

/// The one thing that the gateway ever says: an error packet, after which it closes and throws away
/// everything behind the frame that it names (Apple, "Binary Provider API"). Success is silence.
package struct APNsBinaryReply: Equatable, Sendable {
    package static let command: UInt8 = 8
    /// Command, status, identifier.
    package static let bytes = 6

    package let status: UInt8
    /// The frame's identifier, as it was sent.
    package let identifier: UInt32

    package init(status: UInt8, identifier: UInt32) {
        self.status = status
        self.identifier = identifier
    }

    /// How far the gateway got.
    package enum Meaning: Equatable, Sendable {
        /// What stands before the named frame was accepted, that one was refused.
        case refused(Verdict, reason: String)
        /// The gateway goes; the named frame is the last that it accepted.
        case shutdown(reason: String)
        /// "No error": it says nothing of any frame.
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

    /// Ends of a connection without a packet that says where.
    package enum Trouble: Sendable, CaseIterable {
        case closedWithoutPacket, connectionLost, certificate
    }

    /// - Parameter detail: what more is known, such as how many bytes of a packet came; it joins the reason.
    package static func judge(_ trouble: Trouble, detail: String? = nil) -> (verdict: Verdict, reason: String)
    {
        let row =
            switch trouble {
            case .closedWithoutPacket: APNsBinaryReasons.closedWithoutPacket
            case .connectionLost: APNsBinaryReasons.connectionLost
            case .certificate: APNsBinaryReasons.certificate
            }
        return (row.verdict, detail.map { "\(row.wire) \($0)" } ?? row.wire)
    }

    /// A token that the format has no credit for, or that is not hex: the gateway is not asked.
    package static func unsendableToken() -> Outcome {
        let row = APNsBinaryReasons.invalidToken
        var verdict = row.verdict
        // The gateway was not asked: nothing is learnt of the account, and nobody is judged by it.
        verdict.scope = .transient
        verdict.quarantine = .no
        return .rejected(verdict, reason: "\(row.wire), not sent")
    }
}

/// Reads what a gateway says on one connection. It may say six bytes; what follows them counts for nothing.
package struct APNsBinaryReplyDecoder: Sendable {
    package enum Heard: Equatable, Sendable {
        case nothing
        /// Not yet a packet; at the end of the connection it never becomes one.
        case part(bytes: Int)
        case reply(APNsBinaryReply)
        /// What came is no error packet: so many bytes until now.
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

    package var heard: Heard {
        guard let command = packet.first else { return .nothing }
        guard command == APNsBinaryReply.command else { return .garbage(bytes: count) }
        guard packet.count == APNsBinaryReply.bytes else { return .part(bytes: packet.count) }
        let identifier = packet[2...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .reply(APNsBinaryReply(status: packet[1], identifier: identifier))
    }
}
