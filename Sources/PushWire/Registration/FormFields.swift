/// The fields of a form (`application/x-www-form-urlencoded`), as bytes.
struct FormFields {
    /// More are no registration's: the SDKs send 12.
    static let mostFields = 64

    enum Trouble: Error, Equatable {
        case tooMany
        /// A `%` without two hex digits, in the field of this number, from 1.
        case percent(field: Int)
    }

    private let fields: [(name: [UInt8], value: [UInt8])]

    init(_ body: [UInt8]) throws(Trouble) {
        var fields: [(name: [UInt8], value: [UInt8])] = []
        let pairs = body.split(separator: UInt8(ascii: "&"), maxSplits: Self.mostFields)
        guard pairs.count <= Self.mostFields else { throw .tooMany }
        for pair in pairs {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(halves[0], plusIsSpace: true),
                let value = PercentCoding.decode(halves.count > 1 ? halves[1] : [], plusIsSpace: true)
            else { throw .percent(field: fields.count + 1) }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// Those of this name, in their order.
    func values(of name: StaticString) -> [[UInt8]] {
        fields.filter {
            unsafe $0.name.elementsEqual(
                UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
        .map(\.value)
    }
}
