package import PushModel

/// A notification of APNs' discontinued binary protocol (Apple, "Binary Provider API"), written directly into
/// the send buffer in three steps: ``writeHead(token:into:)``, then the payload after the head, then
/// ``finish(head:payload:identifier:expiration:priority:in:)``, which fills in the lengths.
///
/// Layout, with big-endian integers: `02 · u32 length of the items · items`; an item is `u8 name · u16 length
/// · data`.
package enum APNsBinaryRequest {
    package static let command: UInt8 = 2
    /// The maximum size of a token that the gateway accepts, in bytes.
    package static let maximumTokenBytes = 100
    /// The maximum size of a payload that Apple's gateway accepted, in bytes.
    package static let usualPayloadBytes = 2_048
    /// The maximum size of a payload that a private gateway can accept, in bytes.
    package static let largestPayloadBytes = 4_096
    /// The size of the start of a frame, in bytes: `02`, then the length of the items.
    @usableFromInline static let prefixBytes = 5
    @usableFromInline static let itemHeadBytes = 3
    /// The size of the identifier, the expiration and the priority, including the heads of these items, in
    /// bytes.
    package static let tailBytes = 7 + 7 + 4
    /// Returns the maximum size of a frame, in bytes, with payloads of at most this size.
    package static func maximumBytes(payload: Int) -> Int {
        prefixBytes + itemHeadBytes + maximumTokenBytes + itemHeadBytes + payload + tailBytes
    }

    package enum Item {
        package static let token: UInt8 = 1, payload: UInt8 = 2, identifier: UInt8 = 3, expiration: UInt8 = 4
        package static let priority: UInt8 = 5
    }

    /// Writes everything before the payload.
    ///
    /// - Parameter token: Hexadecimal digits, two per byte.
    /// - Returns: The number of bytes that were written, which is the offset of the payload; 0 if the token
    ///   is invalid or longer than the gateway accepts, or if the buffer is too small.
    @inlinable
    @unsafe package static func writeHead(
        token: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let tokenBytes = token.count / 2
        let size = prefixBytes + itemHeadBytes + tokenBytes + itemHeadBytes
        guard tokenBytes > 0, token.count % 2 == 0, tokenBytes <= maximumTokenBytes, size <= buffer.count,
            let start = buffer.baseAddress, let digits = token.baseAddress
        else { return 0 }
        // Unsafe for speed, because this runs once per message. All stores end within `size`, which was just
        // compared with the buffer.
        unsafe start.storeBytes(of: command, as: UInt8.self)
        unsafe beginItem(Item.token, length: tokenBytes, at: start + prefixBytes)
        let binary = unsafe start + prefixBytes + itemHeadBytes
        guard unsafe HexDigits.decode(digits, bytes: tokenBytes, to: binary) else { return 0 }
        unsafe beginItem(Item.payload, length: 0, at: binary + tokenBytes)
        return size
    }

    /// Completes a frame whose payload follows its head.
    ///
    /// - Parameters:
    ///   - head: The result of ``writeHead(token:into:)``.
    ///   - payload: The number of bytes that were written after the head.
    ///   - expiration: The time when the gateway gives up on an unreachable device. The format cannot
    ///     represent times after the year 2106.
    /// - Returns: The size of the frame; 0 if the buffer is too small.
    @inlinable
    @unsafe package static func finish(
        head: Int, payload: Int, identifier: UInt32, expiration: UInt32, priority: UInt8,
        in buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let size = head + payload + tailBytes
        guard head > prefixBytes + itemHeadBytes, payload <= largestPayloadBytes, size <= buffer.count,
            let start = buffer.baseAddress
        else { return 0 }
        // As in ``writeHead(token:into:)``, all stores end within `size`.
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

    /// Returns a time in the format of the protocol.
    package static func expiration(_ time: WallTime) -> UInt32 { UInt32(clamping: time.secondsSince1970) }
}
