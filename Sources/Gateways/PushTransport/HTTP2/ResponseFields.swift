/// The values of the response headers in ``HTTP2Configuration/wantedHeaders``, indexed by their position in
/// that list. Absent headers cost nothing. The values are valid until the delegate's method returns.
package struct ResponseFields {
    let kept: UnsafeRawBufferPointer

    /// The value of `wantedHeaders[index]`, or `nil` if the answer has no such header. If the answer has
    /// several headers of this name, the last one counts.
    package subscript(index: Int) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        var offset = 0
        while offset + 3 <= kept.count {
            let length = Int(kept[offset + 1]) | Int(kept[offset + 2]) << 8
            let end = offset + 3 + length
            guard end <= kept.count else { break }
            if Int(kept[offset]) == index { found = UnsafeRawBufferPointer(rebasing: kept[offset + 3..<end]) }
            offset = end
        }
        return found
    }
}
