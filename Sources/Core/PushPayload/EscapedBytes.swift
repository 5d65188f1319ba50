internal import PushModel

/// UTF-8 bytes in the form of a JSON string, measured and written directly to a buffer. The bytes are those
/// of device tokens, which rarely need an escape. Usually, one pass determines that no escape is needed, and
/// one copy follows.
@usableFromInline
enum EscapedBytes {
    /// Returns the bytes between the quotation marks of a JSON string.
    static func of(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 { JSONText.appendEscaped(byte, to: &bytes) }
        return bytes
    }

    /// Returns the number of bytes that ``write(_:escapedCount:to:)`` writes.
    @inlinable
    @unsafe static func count(of bytes: UnsafeRawBufferPointer) -> Int {
        var count = bytes.count
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            count &+= byte < 0x20 ? 5 : 0
            count &+= byte == 0x22 || byte == 0x5C ? 1 : 0
        }
        return count
    }

    /// - Parameters:
    ///   - escapedCount: The result of ``count(of:)``.
    ///   - pointer: A buffer with room for this number of bytes.
    @inlinable
    @unsafe static func write(
        _ bytes: UnsafeRawBufferPointer, escapedCount: Int, to pointer: UnsafeMutableRawPointer
    ) {
        guard let source = bytes.baseAddress else { return }
        if escapedCount == bytes.count {
            unsafe pointer.copyMemory(from: source, byteCount: escapedCount)
        } else {
            unsafe writeEscaped(bytes, to: pointer)
        }
    }

    /// Unsafe because only the caller knows the buffer. For each byte, this writes the number of bytes that
    /// `count(of:)` counted for it.
    @usableFromInline
    @unsafe static func writeEscaped(_ bytes: UnsafeRawBufferPointer, to pointer: UnsafeMutableRawPointer) {
        var position = 0
        func put(_ byte: UInt8) {
            unsafe pointer.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
            position += 1
        }
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            if byte < 0x20 {
                for character in "\\u00".utf8 { put(character) }
                put(UInt8(ascii: "0") + byte >> 4)
                put(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") - 10 + byte & 15)
            } else {
                if byte == 0x22 || byte == 0x5C { put(UInt8(ascii: "\\")) }
                put(byte)
            }
        }
    }
}
