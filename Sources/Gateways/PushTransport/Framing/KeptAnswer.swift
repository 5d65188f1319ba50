/// The stored parts of an answer: the requested header fields, then the start of the body, in memory that the
/// next request of the slot reuses.
struct KeptAnswer: BitwiseCopyable {
    private var start: UnsafeMutableRawPointer?
    private var room = 0
    private(set) var headerBytes = 0
    private(set) var bodyBytes = 0

    private static let maxHeaderBytes = 2048

    mutating func reset() { (headerBytes, bodyBytes) = (0, 0) }

    func free() { start?.deallocate() }

    /// The stored header fields. The buffer is valid until the slot's next answer.
    var headers: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: headerBytes) }
    var body: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start.map { $0 + headerBytes }, count: bodyBytes)
    }

    /// Stores a field in the format that ``ResponseFields`` reads. A field that does not fit is dropped.
    mutating func keep(field: Int, _ value: UnsafeBufferPointer<UInt8>) {
        guard bodyBytes == 0, value.count <= 0xFFFF, headerBytes + 3 + value.count <= Self.maxHeaderBytes
        else { return }
        let memory = reserve(3 + value.count)
        memory.storeBytes(of: UInt8(field), as: UInt8.self)
        memory.storeBytes(of: UInt8(value.count & 0xFF), toByteOffset: 1, as: UInt8.self)
        memory.storeBytes(of: UInt8(value.count >> 8), toByteOffset: 2, as: UInt8.self)
        if let source = value.baseAddress { (memory + 3).copyMemory(from: source, byteCount: value.count) }
        headerBytes += 3 + value.count
    }

    /// Stores the first bytes of a part of the body.
    mutating func keep(body bytes: Span<UInt8>, atMost limit: Int) {
        let count = min(bytes.count, limit - bodyBytes)
        guard count > 0 else { return }
        let memory = reserve(count)
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: count) }
        bodyBytes += count
    }

    /// Returns memory after all stored data.
    private mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
        let used = headerBytes + bodyBytes
        if let start, used + bytes <= room { return start + used }
        var size = max(room, 256)
        while size < used + bytes { size *= 2 }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let start {
            larger.copyMemory(from: start, byteCount: used)
            start.deallocate()
        }
        (start, room) = (larger, size)
        return larger + used
    }
}
