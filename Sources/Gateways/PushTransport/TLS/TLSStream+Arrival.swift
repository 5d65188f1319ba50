internal import Glibc

// For protocols in which silence has a meaning: reports how much data the peer's machine has received, and
// lets the owner request a call at a given time.
extension TLSStream {
    /// The number of bytes since the start of the stream that the peer's machine has certainly received,
    /// because its TCP acknowledged them. It is unknown whether its program has read them. If a proxy is
    /// used, the number states what the proxy's machine has received.
    package var received: UInt64 {
        var waiting: Int32 = 0
        // TIOCOUTQ is another name of SIOCOUTQ. It counts bytes of TLS, which are at least as many as the
        // bytes of plain text.
        guard descriptor >= 0, ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0 else { return 0 }
        return sent - min(sent, UInt64(max(waiting, 0)))
    }

    /// Requests a call of ``TLSStreamDelegate/streamDeadline(_:now:)`` by this time, even if no deadline was
    /// set.
    package func remind(at moment: Int64) { loop.remind(at: moment) }
}
