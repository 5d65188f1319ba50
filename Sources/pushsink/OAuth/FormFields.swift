/// `application/x-www-form-urlencoded`, as browsers and OAuth have it.
package enum FormFields {
    /// The first value of `name`; nil: it is not there, or the form is none.
    package static func value(_ name: String, in form: Bytes) -> [UInt8]? {
        for pair in form.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let key = decoded(parts[0]), key.elementsEqual(name.utf8) else {
                continue
            }
            return decoded(parts[1])
        }
        return nil
    }

    private static func decoded(_ bytes: Slice<Bytes>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var at = bytes.startIndex
        while at < bytes.endIndex {
            switch bytes[at] {
            case UInt8(ascii: "+"): result.append(0x20)
            case UInt8(ascii: "%"):
                guard bytes.endIndex - at > 2, let high = Hex.value(of: bytes[at + 1]),
                    let low = Hex.value(of: bytes[at + 2])
                else { return nil }
                result.append(high << 4 | low)
                at += 2
            default: result.append(bytes[at])
            }
            at += 1
        }
        return result
    }
}
