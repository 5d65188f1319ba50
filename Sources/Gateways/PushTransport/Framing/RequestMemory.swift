/// The memory for the variable fields and the body of one request until they are framed: a table of places,
/// followed by the bytes.
///
/// Unsafe for speed: a request is rendered directly into this memory. The writer has checked the free space.
enum RequestMemory {
    /// The position of a variable field's value in the bytes.
    struct Place: BitwiseCopyable {
        var offset: UInt32
        var length: UInt32
    }

    private static let tableBytes = RequestTemplate.maxFields * MemoryLayout<Place>.stride

    static func allocate(bytes: Int) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: tableBytes + bytes, alignment: 64)
        memory.initializeMemory(
            as: Place.self, repeating: Place(offset: 0, length: 0), count: RequestTemplate.maxFields)
        return memory
    }

    @inline(__always)
    static func bytes(of memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer { memory + tableBytes }

    @inline(__always)
    static func setPlace(_ place: Place, of variable: Int, in memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: place, toByteOffset: variable * MemoryLayout<Place>.stride, as: Place.self)
    }

    @inline(__always)
    static func value(of variable: Int, in memory: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        let place = memory.load(fromByteOffset: variable * MemoryLayout<Place>.stride, as: Place.self)
        return UnsafeRawBufferPointer(
            start: bytes(of: memory) + Int(place.offset), count: Int(place.length))
    }
}
