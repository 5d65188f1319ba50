import CProbeShims

/// A complete request as the server received it.
struct PeerRequest: Sendable {
    var stream: Int32
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    func field(_ name: String) -> String? { fields.last { $0.name == name }?.value }
    var path: String { field(":path") ?? "" }
}

/// The behaviour of an HTTP/2 server. The script runs on the server's thread.
struct HTTP2Script: Sendable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS in the first SETTINGS. `nil` if it is left out.
    var maximumStreams: UInt32? = 100
    /// Whether the server sends nothing once TLS is established, not even SETTINGS.
    var isShy = false
    var answersPings = true
    /// Whether the receive windows are so large that flow control never delays anything.
    var isWide = false
    var onRequest: @Sendable (PeerHTTP2, PeerRequest) -> Void = { connection, request in
        connection.answer(request.stream, 200)
    }

    init(
        maximumStreams: UInt32? = 100, answersPings: Bool = true,
        onRequest: (@Sendable (PeerHTTP2, PeerRequest) -> Void)? = nil
    ) {
        (self.maximumStreams, self.answersPings) = (maximumStreams, answersPings)
        if let onRequest { self.onRequest = onRequest }
    }
}

/// The server side of one HTTP/2 connection, based on nghttp2's server interface.
final class PeerHTTP2 {
    unowned let channel: PeerChannel
    let script: HTTP2Script
    private var session: OpaquePointer?
    private var requests: [Int32: PeerRequest] = [:]
    private var bodies: [Int32: Body] = [:]
    private var isFeeding = false
    /// The streams whose answers the script delays.
    var held: [Int32] = []
    private var open = 0

    final class Body {
        let bytes: [UInt8]
        var taken = 0
        /// Whether the body stops before its end, without END_STREAM.
        let stopsShort: Bool
        init(_ bytes: [UInt8], stopsShort: Bool) { (self.bytes, self.stopsShort) = (bytes, stopsShort) }
    }

    init(channel: PeerChannel, script: HTTP2Script) {
        (self.channel, self.script) = (channel, script)
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_option_new(&options)
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        if !script.answersPings { nghttp2_option_set_no_auto_ping_ack(options, 1) }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
            PeerHTTP2.of(context).begin(frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame else { return 0 }
            PeerHTTP2.of(context).requests[frame.pointee.hd.stream_id]?.fields.append(
                (
                    String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
                    String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
                ))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, context in
            PeerHTTP2.of(context).requests[stream]?.body += UnsafeBufferPointer(start: bytes, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let frame { PeerHTTP2.of(context).arrived(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            PeerHTTP2.of(context).closed(stream, code: code)
            return 0
        }
        nghttp2_session_server_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), options)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> PeerHTTP2 {
        Unmanaged<PeerHTTP2>.fromOpaque(context!).takeUnretainedValue()
    }

    func free() {
        // Within a callback, the session must outlive the call.
        guard !isFeeding else { return }
        nghttp2_session_del(session)
        session = nil
    }
    deinit { nghttp2_session_del(session) }

    // MARK: What a script may order

    func greet() {
        // Even an acknowledgement of the client's SETTINGS would be sent data.
        guard !script.isShy else { return channel.isDeaf = true }
        if script.isWide {
            var entry = nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: 1 << 20)
            nghttp2_submit_settings(session, 0, &entry, 1)
            nghttp2_session_set_local_window_size(session, 0, 0, 64 << 20)
        }
        settings(maximumStreams: script.maximumStreams)
    }

    func settings(_ identifier: UInt8, _ value: UInt32) {
        var entry = nghttp2_settings_entry(settings_id: Int32(identifier), value: value)
        nghttp2_submit_settings(session, 0, &entry, 1)
        channel.wantsTurn = true
    }

    func settings(maximumStreams: UInt32?) {
        var entry = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: maximumStreams ?? 0)
        nghttp2_submit_settings(session, 0, &entry, maximumStreams == nil ? 0 : 1)
        channel.wantsTurn = true
    }

    func answer(
        _ stream: Int32, _ status: Int, headers: [(String, String)] = [], body: [UInt8] = [],
        stopsShort: Bool = false
    ) {
        let fields = [(":status", "\(status)")] + headers
        withFields(fields) { fields, count in
            guard !body.isEmpty || stopsShort else {
                nghttp2_submit_response(session, stream, fields, count, nil)
                return
            }
            bodies[stream] = Body(body, stopsShort: stopsShort)
            var provider = nghttp2_data_provider()
            provider.read_callback = { _, stream, buffer, length, flags, _, context in
                guard let body = PeerHTTP2.of(context).bodies[stream], let buffer, let flags else {
                    return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
                }
                let count = min(length, body.bytes.count - body.taken)
                for index in 0..<count { buffer[index] = body.bytes[body.taken + index] }
                body.taken += count
                if body.taken == body.bytes.count {
                    if !body.stopsShort {
                        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
                    } else if count == 0 {
                        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
                    }
                }
                return count
            }
            nghttp2_submit_response(session, stream, fields, count, &provider)
        }
        channel.wantsTurn = true
    }

    /// Sends the HEADERS of an interim response (1xx).
    func interim(_ stream: Int32, _ status: Int) {
        withFields([(":status", "\(status)")]) { fields, count in
            nghttp2_submit_headers(session, 0, stream, nil, fields, count, nil)
        }
        channel.wantsTurn = true
    }

    func reset(_ stream: Int32, code: UInt32) {
        nghttp2_submit_rst_stream(session, 0, stream, code)
        channel.wantsTurn = true
    }

    func ping() {
        nghttp2_submit_ping(session, 0, nil)
        channel.wantsTurn = true
    }

    func goAway(last: Int32? = nil, code: UInt32 = 0, debug: String = "") {
        let bytes = Array(debug.utf8)
        nghttp2_submit_goaway(
            session, 0, last ?? nghttp2_session_get_last_proc_stream_id(session), code, bytes, bytes.count)
        channel.wantsTurn = true
    }

    /// Sends bytes that are not HTTP/2.
    func babble() { channel.send([UInt8](repeating: 0xFF, count: 64)) }

    func releaseHeld(_ status: Int = 200) {
        for stream in held { answer(stream, status) }
        held = []
    }

    private func withFields(
        _ fields: [(String, String)], _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Void
    ) {
        var texts = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        var entries: [nghttp2_nv] = []
        // nghttp2 copies names and values, so the pointers need to be valid only during the call.
        let copies = texts.indices.map { index -> (UnsafeMutablePointer<UInt8>, Int, Int) in
            let all = texts[index].0 + texts[index].1
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, all.count))
            memory.initialize(from: all, count: all.count)
            return (memory, texts[index].0.count, texts[index].1.count)
        }
        for (memory, nameLength, valueLength) in copies {
            entries.append(
                nghttp2_nv(
                    name: memory, value: memory + nameLength, namelen: nameLength, valuelen: valueLength,
                    flags: 0))
        }
        body(entries, entries.count)
        for (memory, _, _) in copies { memory.deallocate() }
        texts = []
    }

    // MARK: Bytes and callbacks

    func feed(_ bytes: ArraySlice<UInt8>) {
        isFeeding = true
        let taken = bytes.withUnsafeBufferPointer {
            nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
        }
        isFeeding = false
        if taken < 0 { channel.close() }
    }

    func pull() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &frame)
            guard count > 0 else { return all }
            all += UnsafeBufferPointer(start: frame, count: count)
        }
    }

    /// Whether both sides have sent GOAWAY and no stream is open.
    var isOver: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

    private func begin(_ stream: Int32) {
        requests[stream] = PeerRequest(stream: stream)
        open += 1
        let open = self.open
        channel.peer.record { $0.mostConcurrent = max($0.mostConcurrent, open) }
    }

    private func arrived(_ frame: nghttp2_frame) {
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
                let request = requests.removeValue(forKey: frame.hd.stream_id)
            else { return }
            channel.peer.record { $0.requests.append(request) }
            script.onRequest(self, request)
        case NGHTTP2_PING.rawValue where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            channel.peer.record { $0.pings += 1 }
        case NGHTTP2_RST_STREAM.rawValue:
            let code = frame.rst_stream.error_code
            channel.peer.record { $0.resets.append(code) }
        default: break
        }
    }

    private func closed(_ stream: Int32, code: UInt32) {
        open -= 1
        requests[stream] = nil
        bodies[stream] = nil
        held.removeAll { $0 == stream }
    }
}
