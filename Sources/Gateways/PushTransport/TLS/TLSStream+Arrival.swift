internal import Glibc

// Functions for protocols in which silence has a meaning: the amount of data that the peer's machine has
// received, and a call at a given time.
extension TLSStream {
    /// The number of bytes since the start of the stream that the peer's machine has certainly received,
    /// because its TCP acknowledged them. It is unknown whether its program has read them. Behind a proxy,
    /// this is the proxy's TCP.
    package var received: UInt64 {
        var waiting: Int32 = 0
        // This is SIOCOUTQ under its other name. It counts bytes of TLS, so the result is at least the number
        // of bytes of plain text.
        guard descriptor >= 0, ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0 else { return 0 }
        return sent - min(sent, UInt64(max(waiting, 0)))
    }

    /// Requests a call of ``TLSStreamDelegate/streamDeadline(_:now:)`` by this time, even if no deadline was
    /// set.
    package func remind(at moment: Int64) { loop.remind(at: moment) }
}
