/// The parameters of a statement in PostgreSQL's binary form. Each value is kept until its parameter is bound
/// again.
@safe
struct PostgreSQLParameters: ~Copyable {
    let count: Int
    /// The values in the form that libpq takes; `nil` is NULL.
    let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let lengths: UnsafeMutablePointer<Int32>
    let formats: UnsafeMutablePointer<Int32>
    private let room: UnsafeMutablePointer<UnsafeMutableRawBufferPointer>

    init(count: Int) {
        self.count = count
        unsafe values = .allocate(capacity: count)
        unsafe lengths = .allocate(capacity: count)
        unsafe formats = .allocate(capacity: count)
        unsafe room = .allocate(capacity: count)
        unsafe values.initialize(repeating: nil, count: count)
        unsafe lengths.initialize(repeating: 0, count: count)
        // 1 means binary.
        unsafe formats.initialize(repeating: 1, count: count)
        for index in 0..<count {
            unsafe (room + index).initialize(to: .allocate(byteCount: Self.leastRoom, alignment: 8))
        }
    }

    deinit {
        for index in 0..<count { unsafe room[index].deallocate() }
        unsafe room.deallocate()
        unsafe values.deallocate()
        unsafe lengths.deallocate()
        unsafe formats.deallocate()
    }

    private static let leastRoom = 32

    func setNull(_ index: Int) { unsafe values[index] = nil }

    /// Sets eight bytes in big-endian order, for int8 and float8 alike.
    func set(_ bits: UInt64, _ index: Int) {
        unsafe room[index].storeBytes(of: bits.bigEndian, as: UInt64.self)
        point(index, count: 8)
    }

    func set(_ bytes: UnsafeRawBufferPointer, _ index: Int) {
        if unsafe bytes.count > room[index].count {
            unsafe room[index].deallocate()
            unsafe room[index] = .allocate(byteCount: bytes.count * 2, alignment: 8)
        }
        unsafe room[index].copyMemory(from: bytes)
        point(index, count: bytes.count)
    }

    private func point(_ index: Int, count: Int) {
        unsafe values[index] = UnsafeRawPointer(room[index].baseAddress)?.assumingMemoryBound(to: CChar.self)
        unsafe lengths[index] = Int32(clamping: count)
    }
}
