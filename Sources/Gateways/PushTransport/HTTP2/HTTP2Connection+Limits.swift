internal import CPushShims

// What a peer may make us do, and the end of one that goes beyond: see ``PeerLimits``.
extension HTTP2Connection {
    /// Frames of every type that the peer has sent.
    package var framesReceived: UInt64 { h2.pointee.frames }

    /// - Parameter bytes: of the read that was just fed.
    func isWithinAllowance(received bytes: Int) -> Bool {
        let frames = h2.pointee.frames, headerBytes = h2.pointee.header_bytes
        defer {
            endedByPeer = 0
            (countedFrames, countedHeaderBytes) = (frames, headerBytes)
        }
        excess = peerAllowance.received(
            answers: endedByPeer, frames: Int(frames - countedFrames),
            bytes: bytes + Int(headerBytes - countedHeaderBytes), at: loop.now)
        return excess == nil
    }

    /// nghttp2 takes no more: because of a limit of ours, or because the peer broke HTTP/2.
    func giveUp(_ stream: TLSStream, _ code: Int32) {
        isGivenUp = true
        if let what = excessText(code) { return stream.close(because: .abusive(what)) }
        flush()  // nghttp2 has a GOAWAY ready that says what was wrong
        stream.close(because: .protocolError(Self.text(Int(code))))
    }

    /// The session is whole: the peer is told.
    func giveUpAsHostile(_ stream: TLSStream) {
        isGivenUp = true
        nghttp2_session_terminate_session(h2.pointee.session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        flush()
        let what = excess == .frames ? "\(h2.pointee.frames) frames" : "more bytes than its answers can need"
        stream.close(because: .abusive("\(what), and too few answers"))
    }

    private func excessText(_ code: Int32) -> String? {
        let limits = configuration.peerLimits
        switch h2.pointee.excess {
        case PUSH_H2_EXCESS_HEADERS.rawValue: return "a header block of more than \(limits.headerBytes) bytes"
        case PUSH_H2_EXCESS_INTERIM.rawValue:
            return "more than \(limits.interimAnswers) interim answers to a request"
        case PUSH_H2_EXCESS_FRAMES.rawValue: return "more than \(limits.framesOfRequest) frames of an answer"
        case PUSH_H2_EXCESS_BODY.rawValue: return "an answer of more than \(limits.bodyBytes) bytes"
        case PUSH_H2_EXCESS_GOAWAYS.rawValue: return "more than \(limits.goAways) GOAWAYs"
        default: break
        }
        switch code {
        // Its own bounds: acknowledgements that wait to be sent, CONTINUATION frames of one header block.
        case NGHTTP2_ERR_FLOODED.rawValue: return "a flood of PING or SETTINGS"
        case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: return "a header block without end"
        default: return nil
        }
    }
}

extension PeerLimits {
    /// Those that the session itself keeps, in the middle of a read.
    var ofSession: push_h2_limits {
        push_h2_limits(
            header_bytes: headerBytes, interim: interimAnswers, frames: framesOfRequest,
            body_bytes: bodyBytes,
            goaways: goAways)
    }
}
