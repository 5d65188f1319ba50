internal import PushModel

/// Writes up to the end of its buffer, and continues to count beyond it. It is valid only during the call
/// that receives the buffer.
@safe struct BoundedWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    @unsafe init(_ buffer: UnsafeMutableRawBufferPointer) { unsafe self.buffer = buffer }

    var fits: Bool { unsafe count <= buffer.count }

    @inline(__always)
    mutating func write(_ bytes: [UInt8], _ range: Range<Int>) {
        // The ranges belong to the array.
        unsafe bytes.withUnsafeBytes { unsafe write(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func write(_ bytes: [UInt8]) { write(bytes, 0..<bytes.count) }

    @inline(__always)
    @unsafe mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress, let start = unsafe room(for: bytes.count) {
            unsafe Self.copy(source, bytes.count, to: start)
        }
        count += bytes.count
    }

    /// Copies bytes. Values and the texts between them are mostly short, so calling a copy function would
    /// cost more than the copy itself. A range of 4 to 16 bytes is therefore copied as two words, which may
    /// overlap and are both within the range.
    @inline(__always)
    @unsafe private static func copy(
        _ source: UnsafeRawPointer, _ size: Int, to start: UnsafeMutableRawPointer
    ) {
        if size > 16 {
            unsafe start.copyMemory(from: source, byteCount: size)
        } else if size >= 8 {
            unsafe copyEnds(of: size, as: UInt64.self, source, to: start)
        } else if size >= 4 {
            unsafe copyEnds(of: size, as: UInt32.self, source, to: start)
        } else {
            for offset in 0..<size {
                unsafe start.storeBytes(
                    of: source.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset,
                    as: UInt8.self)
            }
        }
    }

    @inline(__always)
    @unsafe private static func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
        of size: Int, as word: Word.Type, _ source: UnsafeRawPointer, to start: UnsafeMutableRawPointer
    ) {
        let last = size - MemoryLayout<Word>.size
        let (head, tail) = unsafe (
            source.loadUnaligned(as: word), source.loadUnaligned(fromByteOffset: last, as: word)
        )
        unsafe start.storeBytes(of: head, as: word)
        unsafe start.storeBytes(of: tail, toByteOffset: last, as: word)
    }

    @inline(__always)
    mutating func write(byte: UInt8) {
        if let start = unsafe room(for: 1) { unsafe start.storeBytes(of: byte, as: UInt8.self) }
        count += 1
    }

    mutating func write(digitsOf number: Int64) {
        let size = DecimalDigits.count(of: number)
        if let start = unsafe room(for: size) { _ = unsafe DecimalDigits.write(number, to: start) }
        count += size
    }

    /// Returns the place for the next bytes; `nil` if they do not fit into the buffer.
    @inline(__always)
    @unsafe func room(for size: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe buffer.baseAddress, unsafe count + size <= buffer.count else { return nil }
        return unsafe start + count
    }

    mutating func advance(_ size: Int) { count += size }
}
