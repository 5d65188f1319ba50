/// Values of the response headers that ``HTTP2Configuration/wantedHeaders`` names, by their place in that
/// list. Costs nothing where they are absent. Holds until the delegate's method returns.
package struct ResponseFields {
    let kept: UnsafeRawBufferPointer

    /// The value of `wantedHeaders[index]`, or nil when the answer has no such header. The last one counts.
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
