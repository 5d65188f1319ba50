internal import CPushShims
package import Logging
internal import PushSystem

/// The wait loop of one thread: a libcurl multi handle, its streams, and descriptors that belong to callers.
///
/// **Promises.** All callbacks of this target come from ``wait(atMostMilliseconds:)``, on the thread that
/// called it, and never from within a call to a stream, a connection or an exchange. The cost of a turn
/// depends on the events in it: epoll waits for descriptors, and libcurl, which iterates over all its handles
/// each time, is called only while a connection is being established or an exchange is in progress.
/// **Failures.** Throws only if libcurl itself fails. **Neighbours.** ``TLSStream``, ``HTTP2Connection``,
/// ``HTTPExchange``. Not Sendable: a loop and all its objects stay on one thread.
package final class TransportLoop {
    /// A foreign descriptor and the operations that do not block on it. An error or a hang-up is reported as
    /// readable.
    package struct ReadyDescriptor: Equatable, Sendable {
        package let descriptor: Int32
        package let isReadable: Bool
        package let isWritable: Bool
        package init(descriptor: Int32, isReadable: Bool, isWritable: Bool) {
            (self.descriptor, self.isReadable, self.isWritable) = (descriptor, isReadable, isWritable)
        }
    }

    let multi: UnsafeMutableRawPointer
    package let logger: Logger
    /// CLOCK_MONOTONIC in nanoseconds, read once per turn. Deadlines are relative to it.
    package var now: Int64 { clock.now }
    let clock = LoopClock()
    /// The receive buffer that all streams use, one after the other.
    let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)

    private let waits: DescriptorTable
    private var streams: [ObjectIdentifier: TLSStream] = [:]
    private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
    /// Streams with an event that does not come from a descriptor: a failed send, or unread bytes.
    private var attention: [TLSStream] = []
    private var finishedExchanges: [HTTPExchange] = []
    /// The number of handles that libcurl itself must drive: connecting streams and exchanges.
    private var driven = 0
    /// A lower bound of all deadlines. When this time has passed, all streams are checked once, even if none
    /// of their deadlines is due.
    private var nextDeadline = Int64.max
    private var foreign: [ReadyDescriptor] = []
    private var readyStreams: [(stream: TLSStream, readable: Bool, writable: Bool)] = []

    package init(logger: Logger = Logger(label: "transport")) throws(TransportError) {
        try CurlLibrary.require()
        waits = try DescriptorTable()
        guard let multi = curl_multi_init() else {
            throw TransportError(.curl(what: "curl_multi_init", text: "no handle"))
        }
        self.multi = multi
        // The bytes of an exchange's answer are counted on its connection, so exchanges must not share a
        // connection.
        push_curl_multi_set_long(multi, CURLMOPT_PIPELINING, 0)
        self.logger = logger
    }

    deinit {
        for stream in streams.values { stream.abandon(multi: multi) }
        for exchange in exchanges.values { exchange.abandon(multi: multi) }
        curl_multi_cleanup(multi)
        receiveBuffer.deallocate()
    }

    /// The number of streams that are not closed, including connecting and closing streams, plus the number
    /// of exchanges in progress.
    package var liveHandles: Int { streams.count + exchanges.count }

    // MARK: Foreign descriptors

    /// Adds this descriptor to the wait, or changes the operations to wait for. The caller remains its owner.
    package func watch(descriptor: Int32, reads: Bool, writes: Bool) {
        waits.set(.foreign(descriptor), descriptor: descriptor, reads: reads, writes: writes)
    }

    package func unwatch(descriptor: Int32) { waits.remove(descriptor: descriptor) }

    // MARK: The turn

    /// Waits for an event, up to the given time, performs the actions that are due, and notifies the
    /// delegates. Returns the foreign descriptors that are ready, usually none.
    package func wait(atMostMilliseconds: Int32) throws(TransportError) -> [ReadyDescriptor] {
        clock.read()
        var timeout = atMostMilliseconds
        if nextDeadline != .max {
            timeout = Int32(clamping: max(0, min(Int64(timeout), (nextDeadline - now + 999_999) / 1_000_000)))
        }
        if !attention.isEmpty || !finishedExchanges.isEmpty { timeout = 0 }

        foreign.removeAll(keepingCapacity: true)
        if driven > 0 {
            var all = curl_waitfd(fd: waits.epoll, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            let result = curl_multi_poll(multi, &all, 1, timeout, nil)
            guard result == CURLM_OK else { throw multiError("curl_multi_poll", result) }
            timeout = 0
        }
        collectReady(atMostMilliseconds: timeout)
        clock.read()
        if driven > 0 { try drive() }
        for entry in readyStreams { entry.stream.handle(readable: entry.readable, writable: entry.writable) }
        readyStreams.removeAll(keepingCapacity: true)
        processEvents()
        if now >= nextDeadline { checkDeadlines() }
        return foreign
    }

    private func collectReady(atMostMilliseconds: Int32) {
        waits.wait(atMostMilliseconds: atMostMilliseconds) { owner, readable, writable in
            switch owner {
            case .foreign(let descriptor):
                foreign.append(
                    ReadyDescriptor(descriptor: descriptor, isReadable: readable, isWritable: writable))
            case .stream(let stream):
                readyStreams.append((stream, readable, writable))
            }
        }
    }

    private func drive() throws(TransportError) {
        var running: Int32 = 0
        let result = curl_multi_perform(multi, &running)
        guard result == CURLM_OK else { throw multiError("curl_multi_perform", result) }
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while push_curl_next_done(multi, &easy, &code) {
            guard let easy else { continue }
            driven -= 1
            var owner: UnsafeMutableRawPointer?
            push_curl_get_pointer(easy, CURLINFO_PRIVATE, &owner)
            guard let owner else { continue }
            let object = Unmanaged<AnyObject>.fromOpaque(owner).takeUnretainedValue()
            if let stream = object as? TLSStream {
                stream.connectFinished(code)
            } else if let exchange = object as? HTTPExchange {
                exchange.transferFinished(code)
            }
        }
    }

    private func processEvents() {
        while !attention.isEmpty {
            let turn = attention
            attention.removeAll(keepingCapacity: true)
            for stream in turn { stream.processEvents() }
            // Streams that request attention again in their own turn (unread bytes) wait for the next turn,
            // so that other streams get their turn.
            if attention.allSatisfy({ $0.onlyWantsToRead }) { break }
        }
        while let exchange = finishedExchanges.popLast() { exchange.deliver() }
    }

    private func checkDeadlines() {
        nextDeadline = .max
        for stream in Array(streams.values) { remind(at: stream.checkDeadlines(now: now)) }
        processEvents()
    }

    // MARK: For streams and exchanges

    /// Ensures that the deadlines of all streams are checked by this time.
    func remind(at moment: Int64) { nextDeadline = min(nextDeadline, moment) }

    func register(_ stream: TLSStream) { streams[ObjectIdentifier(stream)] = stream }
    func unregister(_ stream: TLSStream) { streams[ObjectIdentifier(stream)] = nil }
    func register(_ exchange: HTTPExchange) { exchanges[ObjectIdentifier(exchange)] = exchange }
    func unregister(_ exchange: HTTPExchange) { exchanges[ObjectIdentifier(exchange)] = nil }
    func needsAttention(_ stream: TLSStream) { attention.append(stream) }
    func hasFinished(_ exchange: HTTPExchange) { finishedExchanges.append(exchange) }

    func await(_ stream: TLSStream, descriptor: Int32, reads: Bool, writes: Bool) {
        waits.set(.stream(stream), descriptor: descriptor, reads: reads, writes: writes)
    }
    func stopAwaiting(descriptor: Int32) { waits.remove(descriptor: descriptor) }

    func startDriving(_ easy: UnsafeMutableRawPointer) -> CURLMcode {
        let result = curl_multi_add_handle(multi, easy)
        if result == CURLM_OK { driven += 1 }
        return result
    }
    /// - Parameter finished: Whether libcurl has reported this handle as done, in which case the handle is no
    ///   longer counted.
    func stopDriving(_ easy: UnsafeMutableRawPointer, finished: Bool) {
        if !finished { driven -= 1 }
        curl_multi_remove_handle(multi, easy)
    }

    private func multiError(_ what: String, _ code: CURLMcode) -> TransportError {
        TransportError(.curl(what: what, text: String(cString: curl_multi_strerror(code))))
    }
}

/// The time of a loop's current turn. Some callers read it so often that they must not count a reference to
/// the loop each time.
final class LoopClock {
    private(set) var now = Clocks.monotonicNanoseconds()
    func read() { now = Clocks.monotonicNanoseconds() }
}

/// Loads and initialises libcurl, which must happen once per process.
enum CurlLibrary {
    static func require() throws(TransportError) {
        if let failure { throw failure }
    }

    private static let failure: TransportError? = {
        if let why = push_curl_load() {
            return TransportError(
                .curl(what: "cannot be loaded; install Debian's libcurl4", text: String(cString: why)))
        }
        // OpenSSL may write to a broken socket, and the resulting SIGPIPE would end the process. With
        // CURLOPT_NOSIGNAL, libcurl leaves the handling of SIGPIPE to us. A handler that the program has
        // installed is kept.
        push_ignore_broken_pipes()
        push_forget_environment()
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code != CURLE_OK else { return nil }
        return TransportError(
            .curl(what: "curl_global_init", text: String(cString: curl_easy_strerror(code))))
    }()
}

extension Duration {
    /// The duration in nanoseconds. Durations of more than 292 years count as infinite.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 4 : whole &+ attoseconds / 1_000_000_000
    }
    var milliseconds: Int { Int(clamping: max(1, nanoseconds / 1_000_000)) }
}
