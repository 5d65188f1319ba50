// Limits on the work that a peer can cause, and the end of a connection whose peer exceeds them: see
// ``PeerLimits``.
extension HTTP2Connection {
    /// The number of frames that the peer has sent. Only frames of the types that HTTP/2 defines are counted.
    package var framesReceived: UInt64 { session.frames }

    /// - Parameter bytes: The number of bytes of the read that was just processed.
    func excess(received bytes: Int) -> PeerAllowance.Excess? {
        let frames = session.frames, headerBytes = session.headerBytes
        defer {
            endedByPeer = 0
            (countedFrames, countedHeaderBytes) = (frames, headerBytes)
        }
        return peerAllowance.received(
            answers: endedByPeer, frames: Int(frames - countedFrames),
            bytes: bytes + Int(headerBytes - countedHeaderBytes), at: now)
    }

    /// Gives up the connection. The session accepts nothing more. If the socket still accepts data, the peer
    /// receives a GOAWAY that contains the reason.
    func giveUp(_ stream: TLSStream, _ failure: HTTP2Session.Failure) {
        isGivenUp = true
        flush()
        switch failure {
        case .broken(let code, let what):
            stream.close(because: .protocolError("\(code.name): \(what)"))
        case .excess(let excess): stream.close(because: .abusive(text(excess)))
        }
    }

    func giveUp(_ stream: TLSStream, _ excess: PeerAllowance.Excess) {
        isGivenUp = true
        session.terminate(.enhanceYourCalm)
        flush()
        let what =
            excess == .frames ? "\(session.frames) frames" : "more bytes than its answers can require"
        stream.close(because: .abusive("\(what), and too few answers"))
    }

    private func text(_ excess: HTTP2Session.Excess) -> String {
        let limits = configuration.peerLimits
        return switch excess {
        case .headers: "a header block of more than \(limits.headerBytes) bytes"
        case .interimAnswers: "more than \(limits.interimAnswers) interim answers to one request"
        case .frames: "more than \(limits.framesOfRequest) frames for one answer"
        case .body: "an answer of more than \(limits.bodyBytes) bytes"
        case .goAways: "more than \(limits.goAways) GOAWAYs"
        case .acknowledgements: "a flood of PING or SETTINGS"
        case .settings: "SETTINGS with too many values"
        case .continuations: "an endless header block"
        }
    }
}
