package import PushModel

/// A notification of APNs' ended binary protocol (Apple, "Binary Provider API"), written straight into the
/// buffer that it is sent from: ``writeHead(token:into:)``, then the payload at its end, then
/// ``finish(head:payload:identifier:expiration:priority:in:)``, which fills in the lengths.
///
/// Layout, integers big-endian: `02 · u32 length of the items · items`; an item is `u8 name · u16 length ·
/// data`.
package enum APNsBinaryRequest {
    package static let command: UInt8 = 2
    /// Bytes of a token that the gateway takes.
    package static let maximumTokenBytes = 100
    /// Bytes of a payload that the gateway takes.
    package static let maximumPayloadBytes = 2_048
    /// `02` and the length of the items.
    @usableFromInline static let prefixBytes = 5
    @usableFromInline static let itemHeadBytes = 3
    /// Identifier, expiration and priority, with their heads.
    package static let tailBytes = 7 + 7 + 4
    /// No frame is longer.
    package static let maximumBytes =
        prefixBytes + itemHeadBytes + maximumTokenBytes + itemHeadBytes + maximumPayloadBytes + tailBytes

    package enum Item {
        package static let token: UInt8 = 1, payload: UInt8 = 2, identifier: UInt8 = 3, expiration: UInt8 = 4
        package static let priority: UInt8 = 5
    }

    /// Writes everything before the payload.
    ///
    /// - Parameter token: hex digits, two a byte.
    /// - Returns: how many bytes were written, so where the payload goes; 0 where the token is none, or
    ///   longer than the gateway takes, or the buffer is too small.
    @inlinable
    @unsafe package static func writeHead(
        token: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let tokenBytes = token.count / 2
        let size = prefixBytes + itemHeadBytes + tokenBytes + itemHeadBytes
        guard tokenBytes > 0, token.count % 2 == 0, tokenBytes <= maximumTokenBytes, size <= buffer.count,
            let start = buffer.baseAddress, let digits = token.baseAddress
        else { return 0 }
        // Unsafe for speed: once per message. All stores end within `size`, which was just compared with the
        // buffer.
        unsafe start.storeBytes(of: command, as: UInt8.self)
        unsafe beginItem(Item.token, length: tokenBytes, at: start + prefixBytes)
        let binary = unsafe start + prefixBytes + itemHeadBytes
        guard unsafe HexDigits.decode(digits, bytes: tokenBytes, to: binary) else { return 0 }
        unsafe beginItem(Item.payload, length: 0, at: binary + tokenBytes)
        return size
    }

    /// Completes a frame whose payload stands behind its head.
    ///
    /// - Parameters:
    ///   - head: what ``writeHead(token:into:)`` returned.
    ///   - payload: bytes that were written behind it.
    ///   - expiration: when the gateway gives up on an unreachable device; the format ends in the year 2106.
    /// - Returns: the frame's size; 0 where the buffer is too small.
    @inlinable
    @unsafe package static func finish(
        head: Int, payload: Int, identifier: UInt32, expiration: UInt32, priority: UInt8,
        in buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let size = head + payload + tailBytes
        guard head > prefixBytes + itemHeadBytes, payload <= maximumPayloadBytes, size <= buffer.count,
            let start = buffer.baseAddress
        else { return 0 }
        // As above: all within `size`.
        unsafe start.storeBytes(of: UInt32(size - prefixBytes).bigEndian, toByteOffset: 1, as: UInt32.self)
        unsafe beginItem(Item.payload, length: payload, at: start + (head - itemHeadBytes))
        let tail = unsafe start + head + payload
        unsafe beginItem(Item.identifier, length: 4, at: tail)
        unsafe tail.storeBytes(of: identifier.bigEndian, toByteOffset: 3, as: UInt32.self)
        unsafe beginItem(Item.expiration, length: 4, at: tail + 7)
        unsafe tail.storeBytes(of: expiration.bigEndian, toByteOffset: 10, as: UInt32.self)
        unsafe beginItem(Item.priority, length: 1, at: tail + 14)
        unsafe tail.storeBytes(of: priority, toByteOffset: 17, as: UInt8.self)
        return size
    }

    @inlinable
    @unsafe static func beginItem(_ name: UInt8, length: Int, at place: UnsafeMutableRawPointer) {
        unsafe place.storeBytes(of: name, as: UInt8.self)
        unsafe place.storeBytes(
            of: UInt16(truncatingIfNeeded: length).bigEndian, toByteOffset: 1, as: UInt16.self)
    }

    /// A moment as the format has it.
    package static func expiration(_ time: WallTime) -> UInt32 { UInt32(clamping: time.secondsSince1970) }
}
