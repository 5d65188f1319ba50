internal import CPushShims

/// nghttp2's decoder of header blocks (RFC 7541): the only C of this folder.
struct HeaderInflater: ~Copyable {
    enum Step {
        /// A field came out.
        case field
        /// The block goes on in another frame.
        case incomplete
        /// The block is at its end.
        case end
        case malformed
    }

    private let inflater: OpaquePointer
    private var field = nghttp2_nv()

    init?() {
        var inflater: OpaquePointer?
        guard nghttp2_hd_inflate_new(&inflater) == 0, let inflater else { return nil }
        self.inflater = inflater
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// The last field; valid until the next call of ``next(_:from:isLast:)``.
    var name: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: field.name, count: field.namelen) }
    var value: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: field.value, count: field.valuelen) }

    /// Decodes up to the next field.
    /// - Parameters:
    ///   - offset: of the fragment's bytes that are not decoded yet.
    ///   - isLast: whether the block ends with this fragment.
    mutating func next(_ fragment: Span<UInt8>, from offset: inout Int, isLast: Bool) -> Step {
        var flags: Int32 = 0
        let (start, inflater) = (offset, inflater)
        let taken = fragment.withUnsafeBufferPointer { bytes in
            nghttp2_hd_inflate_hd2(
                inflater, &field, &flags, bytes.baseAddress.map { $0 + start }, bytes.count - start,
                isLast ? 1 : 0)
        }
        guard taken >= 0 else { return .malformed }
        offset += taken
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 { return .field }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
            nghttp2_hd_inflate_end_headers(inflater)
            return .end
        }
        return offset < fragment.count ? .malformed : .incomplete
    }
}
