internal import CSinkShims

/// A request as it came over HTTP: the fields that the gateway asked for, in its numbering, and the body.
///
/// A view on memory of the connection: valid until the stream is closed.
package struct HTTPRequest {
    let raw: UnsafeMutablePointer<push_sink_request>

    init(_ raw: UnsafeMutablePointer<push_sink_request>) { self.raw = raw }

    package var stream: Int32 { raw.pointee.stream }

    /// The value of field number `field`; nil: it was not sent.
    @inline(__always)
    package func value(_ field: Int) -> Bytes? {
        let value = push_sink_request_value(raw, Int32(field))
        return value.start.map { Bytes(start: $0, count: value.count) }
    }

    /// Bit i is set where field number i was sent more than once.
    package var repeated: UInt32 { raw.pointee.repeated }

    /// The body, or as much of it as the gateway keeps.
    package var body: Bytes { Bytes(start: raw.pointee.body, count: Int(raw.pointee.body_kept)) }
    /// The length of the whole body.
    package var bodyLength: UInt64 { raw.pointee.body_total }

    /// What the gateway remembers of the request.
    package var mark: UInt64 {
        get { raw.pointee.mark }
        nonmutating set { raw.pointee.mark = newValue }
    }

    /// The 36 bytes that the gateway notes: the id that it answers with.
    package var note: UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(raw).advanced(by: MemoryLayout<push_sink_request>.offset(of: \.note)!)
            .assumingMemoryBound(to: UInt8.self)
    }
}

/// A request that never came over a connection, for tests of what judges requests.
package final class RequestDraft {
    private let request: HTTPRequest

    /// `fields` by number; a number that occurs twice is a repeated field.
    package init(stream: Int32 = 1, fields: [(Int, String)], body: [UInt8], keeping limit: UInt32 = 8192) {
        let raw = push_sink_request_make()
        raw.pointee.body_limit = limit
        raw.pointee.stream = stream
        for (field, value) in fields {
            let bytes = Array(value.utf8)
            push_sink_request_add_value(raw, Int32(field), bytes, bytes.count)
        }
        push_sink_request_add_body(raw, body, body.count)
        request = HTTPRequest(raw)
    }

    deinit { push_sink_request_free(request.raw) }

    /// The request is valid within `body` only.
    package func withRequest<Result>(_ body: (HTTPRequest) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(request) }
    }
}
