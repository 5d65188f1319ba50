import CProbeShims
import PushTransport

/// nghttp2's server session without a socket: an independent implementation of RFC 9113.
final class MemoryServer {
    struct Request: Equatable {
        var fields: [ReferenceInflater.Field] = []
        var body: [UInt8] = []
        func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        var path: String { field(":path") ?? "" }
    }

    private var session: OpaquePointer?
    private var partial: [Int32: Request] = [:]
    private var bodies: [Int32: ArraySlice<UInt8>] = [:]
    /// The complete requests that have not been answered yet, and all complete requests.
    var unanswered: [(stream: Int32, request: Request)] = []
    private(set) var requests: [String: Request] = [:]
    private(set) var isBroken = false

    init(_ values: [(Int32, UInt32)], hasAutomaticWindows: Bool = true) {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_option_new(&options)
        if !hasAutomaticWindows { nghttp2_option_set_no_auto_window_update(options, 1) }
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, flags, context in
            guard let frame else { return 0 }
            MemoryServer.of(context).partial[frame.pointee.hd.stream_id, default: Request()].fields.append(
                .init(
                    name: String(
                        decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
                    value: String(
                        decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self),
                    isNeverIndexed: flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, context in
            MemoryServer.of(context).partial[stream]?.body += UnsafeBufferPointer(start: bytes, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let frame { MemoryServer.of(context).arrived(frame.pointee.hd) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, context in
            let server = MemoryServer.of(context)
            server.partial[stream] = nil
            server.unanswered.removeAll { $0.stream == stream }
            return 0
        }
        nghttp2_session_server_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), options)
        settings(values)
    }
    deinit { nghttp2_session_del(session) }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MemoryServer {
        Unmanaged<MemoryServer>.fromOpaque(context!).takeUnretainedValue()
    }

    private func arrived(_ head: nghttp2_frame_hd) {
        guard [0, 1].contains(head.type), head.flags & 1 != 0,
            let request = partial.removeValue(forKey: head.stream_id)
        else { return }
        requests[request.path] = request
        unanswered.append((head.stream_id, request))
    }

    // MARK: What a test orders

    func settings(_ values: [(Int32, UInt32)]) {
        let entries = values.map { nghttp2_settings_entry(settings_id: $0.0, value: $0.1) }
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    func answer(_ stream: Int32, _ status: String, body: [UInt8] = []) {
        let name = Array(":status".utf8), value = Array(status.utf8)
        name.withUnsafeBufferPointer { name in
            value.withUnsafeBufferPointer { value in
                var field = nghttp2_nv(
                    name: UnsafeMutablePointer(mutating: name.baseAddress),
                    value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count,
                    valuelen: value.count, flags: 0)
                guard !body.isEmpty else {
                    nghttp2_submit_response(session, stream, &field, 1, nil)
                    return
                }
                bodies[stream] = body[...]
                var provider = nghttp2_data_provider()
                provider.read_callback = { _, stream, buffer, length, flags, _, context in
                    let server = MemoryServer.of(context)
                    let part = server.bodies[stream, default: []].prefix(length)
                    for (index, byte) in part.enumerated() { buffer?[index] = byte }
                    server.bodies[stream] = server.bodies[stream, default: []].dropFirst(part.count)
                    if server.bodies[stream, default: []].isEmpty {
                        flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
                    }
                    return part.count
                }
                nghttp2_submit_response(session, stream, &field, 1, &provider)
            }
        }
    }

    func reset(_ stream: Int32, _ code: UInt32) { nghttp2_submit_rst_stream(session, 0, stream, code) }
    func ping() { nghttp2_submit_ping(session, 0, nil) }
    /// Allows this number of additional bytes. Stream 0 stands for all streams.
    func allow(_ stream: Int32, _ bytes: Int32) { nghttp2_submit_window_update(session, 0, stream, bytes) }

    // MARK: Bytes

    func receive(_ bytes: [UInt8]) {
        let taken = nghttp2_session_mem_recv(session, bytes, bytes.count)
        if taken < 0 { isBroken = true }
    }

    func send() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &frame)
            guard count > 0 else { break }
            all += UnsafeBufferPointer(start: frame, count: count)
        }
        // nghttp2 sent a GOAWAY by itself, because the client violated the protocol.
        if nghttp2_session_want_read(session) == 0 { isBroken = true }
        return all
    }
}
