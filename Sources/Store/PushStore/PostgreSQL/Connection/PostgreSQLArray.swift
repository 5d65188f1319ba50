/// A one-dimensional array in PostgreSQL's binary form, as produced by `array_send` in PostgreSQL's source
/// code: the number of dimensions, whether there are NULLs, the type of the elements, their number and the
/// index of the first one; then, for each element, its length (-1 for NULL) and its bytes.
package struct PostgreSQLArray {
    /// The array type's number in `pg_type`.
    package let type: UInt32
    package private(set) var bytes: [UInt8] = []

    package static func of(_ integers: [Int64]) -> PostgreSQLArray {
        var array = PostgreSQLArray(
            type: int8Array, of: .int8, count: integers.count, room: integers.count * 12)
        for integer in integers {
            array.append(Int32(8))
            array.append(integer)
        }
        return array
    }

    package static func of(_ texts: [String?]) -> PostgreSQLArray {
        let length = texts.reduce(0) { $0 + 4 + ($1?.utf8.count ?? 0) }
        var array = PostgreSQLArray(type: textArray, of: .text, count: texts.count, room: length)
        for text in texts {
            array.append(text.map { Int32(clamping: $0.utf8.count) } ?? -1)
            if let text { array.bytes.append(contentsOf: text.utf8) }
        }
        return array
    }

    private static let int8Array: UInt32 = 1_016
    private static let textArray: UInt32 = 1_009

    private init(type: UInt32, of element: PostgreSQLType, count: Int, room: Int) {
        self.type = type
        bytes.reserveCapacity(20 + room)
        append(Int32(count == 0 ? 0 : 1))
        // The flag for NULLs can remain 0, because readers of this form detect NULLs by their length.
        append(Int32(0))
        append(element.rawValue)
        guard count > 0 else { return }
        append(Int32(clamping: count))
        append(Int32(1))
    }

    /// Appends a number in big-endian order.
    private mutating func append(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
