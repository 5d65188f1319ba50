/// The store's SQL in the form that PostgreSQL reads: `?1` becomes `$1`. String literals, quoted names and
/// comments are unchanged.
package struct NumberedParameters: Equatable {
    package let sql: String
    /// The highest number.
    package let count: Int
    /// The numbers below the highest one that do not occur in the text. The server requires a parameter for
    /// each of these numbers, but cannot determine its type.
    package let unused: [Int]

    package init(_ text: String) {
        var (bytes, used) = ([UInt8](), Set<Int>())
        bytes.reserveCapacity(text.utf8.count)
        var quote: UInt8?
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch (quote, byte) {
            case (nil, UInt8(ascii: "?")):
                let digits = rest.prefix { 0x30...0x39 ~= $0 }
                used.insert(Int(String(decoding: digits, as: UTF8.self)) ?? 0)
                bytes.append(UInt8(ascii: "$"))
                continue
            case (nil, UInt8(ascii: "'")), (nil, UInt8(ascii: "\"")): quote = byte
            case (nil, UInt8(ascii: "-")) where rest.first == UInt8(ascii: "-"): quote = UInt8(ascii: "\n")
            case (byte, _): quote = nil
            default: break
            }
            bytes.append(byte)
        }
        sql = String(decoding: bytes, as: UTF8.self)
        count = used.max() ?? 0
        unused = (1..<max(count, 1)).filter { !used.contains($0) }
    }
}
