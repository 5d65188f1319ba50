internal import CPushShims

/// One HTTP/1.1 or HTTP/2 request and its answer, implemented by libcurl, on the loop's multi handle. It is
/// intended for OAuth tokens and for APIs with many recipients per request, not for one request per message.
///
/// **Promises.** The completion is called exactly once, from ``TransportLoop/wait(atMostMilliseconds:)``,
/// even after ``cancel()``. A request is never sent twice: see ``HTTPRequest/Reuse``. Redirects are not
/// followed.
/// **Failures.** ``HTTPResult/failure(_:)`` distinguishes *never sent* from *undecided*. **Neighbours.**
/// ``HTTPRequest``.
package final class HTTPExchange {
    private unowned let loop: TransportLoop
    private let handle: CurlHandle
    private let watch: UnsafeMutablePointer<push_tls_watch>
    private let request: HTTPRequest
    private var completion: ((HTTPResult) -> Void)?
    private var result: HTTPResult?
    private var isDriven = false
    fileprivate var traffic = Traffic()

    /// The data that libcurl's callbacks access.
    fileprivate struct Traffic {
        var body: [UInt8] = []
        var taken = 0
        var hasAskedForBody = false
        var lines: [[UInt8]] = []
        var received: [UInt8] = []
        var mostReceived = 0
        var isTooLong = false
        var headerBytes = 0
        /// The number of bytes that TLS received on this connection for previous exchanges; `nil` if this
        /// number has not been read yet.
        var receivedBefore: UInt64?
        /// The limit that the peer exceeded.
        var excess: String?
    }

    /// The maximum total size of the headers that an exchange receives, including those of interim answers
    /// and trailers.
    fileprivate static let maxHeaderBytes = 64 << 10
    /// The maximum number of bytes that the peer may send for each byte of a body. A peer that sends a body
    /// in one-byte chunks, each in a separate TLS record, exceeds this number, and the body is not read
    /// completely.
    private static let maxWireBytesEach = 4
    private static let maxOtherWireBytes = 256 << 10

    /// Starts the exchange. The loop keeps the exchange alive until it has ended.
    /// - Throws: ``TransportError`` if the request cannot be created, in which case the completion is not
    ///   called.
    @discardableResult
    package init(
        loop: TransportLoop, request: HTTPRequest, completion: @escaping (HTTPResult) -> Void
    ) throws(TransportError) {
        guard let watch = push_tls_watch_new() else {
            throw TransportError(.outOfMemory(what: "an exchange"))
        }
        self.watch = watch
        (self.loop, self.request, self.completion) = (loop, request, completion)
        handle = try CurlHandle()
        traffic.body = request.body ?? []
        traffic.mostReceived = request.maximumBody
        try configure()
        try handle.check("curl_multi_add_handle", loop.startDriving(handle.easy))
        isDriven = true
        loop.register(self)
    }

    deinit { push_tls_watch_release(watch) }

    /// Gives up the exchange; the completion receives a failure with the cause `local`.
    package func cancel() {
        guard completion != nil, result == nil else { return }
        finish(failure(.local))
    }

    private func configure() throws(TransportError) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        try handle.set(CURLOPT_PRIVATE, pointer: this)
        try handle.set(CURLOPT_URL, request.url)
        // Otherwise libcurl removes "." and ".." from the path.
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        let offersHTTP2 = request.version == .http2IfOffered
        try handle.set(
            CURLOPT_HTTP_VERSION, Int(offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        try handle.set(CURLOPT_SSL_ENABLE_ALPN, offersHTTP2 ? 1 : 0)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.milliseconds)
        try handle.set(CURLOPT_TIMEOUT_MS, request.timeout.milliseconds)
        try handle.check("the TLS context function", push_tls_watch_install(handle.easy, watch))
        try handle.common(to: request.endpoint, tls: request.tls)
        try handle.set(CURLOPT_MAXAGE_CONN, HTTPRequest.warmSeconds)
        if request.reuse == .never {
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
            try handle.set(CURLOPT_FORBID_REUSE, 1)
        }
        if request.body != nil {
            try handle.set(CURLOPT_POST, 1)
            try handle.check(
                "the body's size",
                push_curl_set_off_t(
                    handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(traffic.body.count)))
            try setFunction(CURLOPT_READFUNCTION, readBody)
            try handle.set(CURLOPT_READDATA, pointer: this)
        }
        if request.method != (request.body == nil ? "GET" : "POST") {
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        // "Expect:" without a value prevents libcurl from waiting for 100 Continue.
        try handle.set(
            CURLOPT_HTTPHEADER, list: try request.headers.map(Self.line) + ["Expect:"])
        try setFunction(CURLOPT_HEADERFUNCTION, headerArrived)
        try handle.set(CURLOPT_HEADERDATA, pointer: this)
        try setFunction(CURLOPT_WRITEFUNCTION, bodyArrived)
        try handle.set(CURLOPT_WRITEDATA, pointer: this)
        try handle.check("a callback", push_curl_set_progress_function(handle.easy, transferProgress))
        try handle.set(CURLOPT_XFERINFODATA, pointer: this)
        try handle.set(CURLOPT_NOPROGRESS, 0)
    }

    /// Returns a header in libcurl's format. A header without a value ends in a semicolon, because otherwise
    /// libcurl would omit the header. Line breaks are refused here, because libcurl does not check for them
    /// and each line break would begin another header.
    private static func line(_ header: HTTPRequest.Header) throws(TransportError) -> String {
        guard !header.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw TransportError(.setting("the value of header \(header.name) contains a control character"))
        }
        return header.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            ? "\(header.name);" : "\(header.name): \(header.value)"
    }

    private func setFunction(
        _ option: CURLoption, _ function: push_curl_data_function
    ) throws(TransportError) {
        try handle.check("a callback", push_curl_set_data_function(handle.easy, option, function))
    }

    // MARK: The loop's calls

    func transferFinished(_ code: CURLcode) {
        guard result == nil else { return }
        let status = handle.long(CURLINFO_RESPONSE_CODE)
        isFinished = true
        guard code == CURLE_OK, status != 0 else { return finish(failure(cause(code))) }
        finish(
            .response(
                HTTPResponse(
                    status: status, headers: HTTPResponse.fields(lines: traffic.lines), body: traffic.received
                )))
    }
    private var isFinished = false

    /// Records the result. libcurl releases the handle here; the completion is called at the end of the
    /// loop's turn.
    private func finish(_ result: HTTPResult) {
        self.result = result
        if isDriven { loop.stopDriving(handle.easy, finished: isFinished) }
        isDriven = false
        loop.hasFinished(self)
    }

    func deliver() {
        guard let completion, let result else { return }
        self.completion = nil
        loop.unregister(self)
        completion(result)
    }

    /// Frees all resources without notifying the owner, because the loop is being destroyed and can no longer
    /// be called.
    func abandon(multi: UnsafeMutableRawPointer) {
        completion = nil
        if isDriven { curl_multi_remove_handle(multi, handle.easy) }
        isDriven = false
    }

    fileprivate var isWithinBounds: Bool {
        let most = UInt64(request.maximumBody * Self.maxWireBytesEach + Self.maxOtherWireBytes)
        let received = push_curl_tls_received(handle.easy)
        // A reused connection continues its count of bytes, and a new connection starts its count at zero.
        if received < traffic.receivedBefore ?? .max { traffic.receivedBefore = received }
        guard received - (traffic.receivedBefore ?? received) > most else { return true }
        traffic.excess = "more than \(most) bytes sent for an answer of at most \(request.maximumBody)"
        return false
    }

    // MARK: What went wrong

    private func cause(_ code: CURLcode) -> HTTPFailure.Cause {
        switch code {
        case CURLE_OPERATION_TIMEDOUT where handle.long(CURLINFO_RESPONSE_CODE) != 0 || hasBegun:
            return .timedOut
        case _ where traffic.excess != nil: return .connection(.abusive(traffic.excess ?? ""))
        case CURLE_WRITE_ERROR where traffic.isTooLong: return .bodyTooLong(most: request.maximumBody)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: return .truncated
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: return .badURL(handle.text(code))
        // The connection broke after libcurl had read the body, which cannot be rewound, so the request is
        // not sent again.
        case CURLE_SEND_FAIL_REWIND: return .connection(.peerClosed(orderly: false))
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY: return .notHTTP(handle.text(code))
        default: return .connection(handle.cause(ofConnecting: code, watch: watch.pointee))
        }
    }

    /// Whether the connection was established and the request, or a part of it, was being sent.
    private var hasBegun: Bool {
        var microseconds: curl_off_t = 0
        push_curl_get_off_t(handle.easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
        return traffic.hasAskedForBody || microseconds > 0
    }

    private func failure(_ cause: HTTPFailure.Cause) -> HTTPResult {
        var wasSent = traffic.hasAskedForBody
        if traffic.body.isEmpty {
            // A request without a body is sent with its headers. Such a request was certainly not sent only
            // if the connection was never established.
            switch cause {
            case .connection(let close): wasSent = !close.isBeforeOpening
            case .badURL: wasSent = false
            default: wasSent = true
            }
        }
        let status = handle.long(CURLINFO_RESPONSE_CODE)
        return .failure(
            HTTPFailure(
                kind: wasSent ? .undecided : .neverSent, cause: cause, status: status == 0 ? nil : status))
    }
}

// MARK: libcurl's callbacks

private func exchange(_ context: UnsafeMutableRawPointer?) -> HTTPExchange? {
    context.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
}

/// Supplies the body once. There is deliberately no way to seek back, so that libcurl cannot silently send a
/// POST again if a reused connection breaks.
private let readBody: push_curl_data_function = { bytes, size, count, context in
    guard let exchange = exchange(context) else { return 0 }
    exchange.traffic.hasAskedForBody = true
    let rest = exchange.traffic.body.count - exchange.traffic.taken
    let length = min(rest, size * count)
    exchange.traffic.body.withUnsafeBytes {
        UnsafeMutableRawPointer(bytes).copyMemory(
            from: $0.baseAddress! + exchange.traffic.taken, byteCount: length)
    }
    exchange.traffic.taken += length
    return length
}

private let headerArrived: push_curl_data_function = { bytes, size, count, context in
    guard let exchange = exchange(context) else { return 0 }
    exchange.traffic.headerBytes += size * count
    guard exchange.traffic.headerBytes <= HTTPExchange.maxHeaderBytes else {
        exchange.traffic.excess = "headers of more than \(HTTPExchange.maxHeaderBytes) bytes"
        return 0
    }
    let line = Array(UnsafeRawBufferPointer(start: bytes, count: size * count))
    // A new status line begins a new response, and the headers of an interim response are dropped.
    if line.starts(with: "HTTP/".utf8) { exchange.traffic.lines.removeAll() }
    if exchange.traffic.lines.count < 100 { exchange.traffic.lines.append(line) }
    return size * count
}

/// Called after each read and once a second. The number of bytes that TLS has received includes data that
/// appears in neither the headers nor the body, such as chunk extensions.
private let transferProgress: push_curl_progress_function = { context, _, _, _, _ in
    guard let exchange = exchange(context) else { return 1 }
    return exchange.isWithinBounds ? 0 : 1
}

private let bodyArrived: push_curl_data_function = { bytes, size, count, context in
    guard let exchange = exchange(context) else { return 0 }
    guard exchange.traffic.received.count + size * count <= exchange.traffic.mostReceived else {
        exchange.traffic.isTooLong = true
        return 0
    }
    exchange.traffic.received += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
