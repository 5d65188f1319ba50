/// Applies HTTP's rules (RFC 9113, 8) to one header block of an answer. The value receives the block's fields
/// one after the other.
///
/// The rules are strict if a violation would make an answer ambiguous. Other malformed fields are ignored,
/// because some front ends send them and no code reads them.
package struct ResponseBlock: Equatable {
    /// Whether the block follows a final status and so contains trailers.
    package let isTrailer: Bool
    /// The three-digit status; 0 if there is none yet.
    package private(set) var status = 0
    /// The announced length of the body; -1 if it is not announced.
    package private(set) var contentLength = -1
    package private(set) var isMalformed = false
    private var hasOrdinary = false

    package init(isTrailer: Bool) { self.isTrailer = isTrailer }

    /// Processes the next field. Returns `true` if the field may be kept.
    package mutating func take(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard !isMalformed else { return false }
        let isValid = name.first == UInt8(ascii: ":") ? takeStatus(name, value) : takeOrdinary(name, value)
        if !isValid { isMalformed = true }
        return isValid && hasOrdinary && !isTrailer
    }

    /// Reports whether the block as a whole is valid for an answer.
    package func isSound(endsStream: Bool) -> Bool {
        if isMalformed { return false }
        if isTrailer { return endsStream }
        return status != 0 && !(isInterim && (endsStream || contentLength >= 0))
    }

    package var isInterim: Bool { status != 0 && status < 200 }

    /// The required length of the body; -1 for any length.
    package var bodyLength: Int { status == 204 || status == 304 ? 0 : contentLength }

    /// Processes `:status`, the only pseudo-header field of an answer, which occurs once and precedes all
    /// ordinary fields.
    private mutating func takeStatus(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard !isTrailer, !hasOrdinary, status == 0, name.equals(":status"), value.count == 3,
            let number = value.number
        else { return false }
        // 101 is not part of HTTP/2 (RFC 9113, 8.6).
        guard number >= 100, number != 101 else { return false }
        status = number
        return true
    }

    private mutating func takeOrdinary(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        hasOrdinary = true
        guard !name.contains(where: { (0x41...0x5A).contains($0) }) else { return false }
        switch name.count {
        case 2 where name.equals("te"): return value.equals("trailers")
        case 7 where name.equals("upgrade"), 10 where name.equals("connection"),
            10 where name.equals("keep-alive"), 16 where name.equals("proxy-connection"),
            17 where name.equals("transfer-encoding"):
            return false
        case 14 where name.equals("content-length"): return takeLength(value)
        default: return true
        }
    }

    private mutating func takeLength(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard contentLength < 0, let number = value.number else { return false }
        contentLength = number
        return status != 204 || number == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// The value of 1 to 18 digits; `nil` if the bytes are not digits.
    var number: Int? {
        guard (1...18).contains(count), allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Whether HTTP allows these bytes as the value of a field (RFC 9113, 8.2.1).
    var isFieldValue: Bool {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        if let first, isBlank(first) { return false }
        if let last, isBlank(last) { return false }
        return allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
