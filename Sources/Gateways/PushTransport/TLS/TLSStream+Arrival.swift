internal import Glibc

// For protocols in which silence means something: what the peer's machine has received, and a word in time.
extension TLSStream {
    /// Bytes, counted from the first, that the peer's machine has certainly received, because its TCP
    /// acknowledged them. Whether its program has read them nobody can know. Behind a proxy it is the proxy's
    /// TCP that is meant.
    package var received: UInt64 {
        var waiting: Int32 = 0
        // SIOCOUTQ, by its other name: bytes of TLS, so at least as many as of plain text.
        guard descriptor >= 0, ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0 else { return 0 }
        return sent - min(sent, UInt64(max(waiting, 0)))
    }

    /// Say ``TLSStreamDelegate/streamDeadline(_:now:)`` by then, though it was not waiting for anything.
    package func remind(at moment: Int64) { loop.remind(at: moment) }
}
