internal import CSinkShims

/// An answer of any form and length, handed to HTTP/2.
enum HTTP2Reply {
    /// `identifier`: the field that the request's note goes into.
    static func send(
        _ reply: HTTPReply, to request: HTTPRequest, over h2: OpaquePointer, identifier: StaticString?
    ) {
        let type = UnsafeRawPointer(reply.content.type.utf8Start).assumingMemoryBound(to: CChar.self)
        var fields: [push_sink_field] = []
        if let identifier {
            // 36 bytes of 40: zero ends it.
            let note = UnsafeRawPointer(request.note).assumingMemoryBound(to: CChar.self)
            fields.append(push_sink_field(name: Name.pointer(identifier), value: note))
        }
        if reply.body != nil { fields.append(push_sink_field(name: Name.contentType, value: type)) }
        guard let retryAfter = reply.retryAfter else { return submit(reply, fields, to: request, over: h2) }
        retryAfter.withCString { value in
            submit(
                reply, fields + [push_sink_field(name: Name.retryAfter, value: value)], to: request, over: h2)
        }
    }

    private static func submit(
        _ reply: HTTPReply, _ fields: [push_sink_field], to request: HTTPRequest, over h2: OpaquePointer
    ) {
        let bytes = reply.bytesToSend
        let breaksOff = reply.damage == .brokenOff
        let done: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            _ = push_sink_h2_reply(
                h2, request.raw, Int32(reply.status), fields, fields.count, bytes.baseAddress, bytes.count,
                breaksOff)
        }
        // A native String is contiguous; if it ever is not, the answer is a copy of it.
        guard done == nil else { return }
        let copy = Array(bytes)
        _ = push_sink_h2_reply(
            h2, request.raw, Int32(reply.status), fields, fields.count, copy, copy.count, breaksOff)
    }

    private enum Name {
        static var contentType: UnsafePointer<CChar> { pointer("content-type") }
        static var retryAfter: UnsafePointer<CChar> { pointer("retry-after") }

        static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
            UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }
    }
}
