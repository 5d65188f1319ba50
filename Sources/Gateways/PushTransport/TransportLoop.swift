internal import CPushShims
package import Logging
internal import PushSystem

/// One thread's waiting place: a libcurl multi handle, the streams that it carries, and foreign descriptors.
///
/// **Promises.** All that this target ever calls back, it calls from ``wait(atMostMilliseconds:)``, in the
/// thread that called it: never from within a call to a stream, a connection or an exchange. A turn costs
/// what happens in it: descriptors are waited for by epoll, and libcurl, which walks all its handles each
/// time, is asked only while something connects or an exchange is under way.
/// **Failures.** Throws only when libcurl itself fails. **Neighbours.** ``TLSStream``, ``HTTP2Connection``,
/// ``HTTPExchange``. Not Sendable: a loop and all that hangs on it stay in one thread.
package final class TransportLoop {
    /// A foreign descriptor and what can be done with it without blocking. An error or a hang-up reads as
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
    /// CLOCK_MONOTONIC in nanoseconds, read once a turn. Deadlines count from it.
    package var now: Int64 { clock.now }
    let clock = LoopClock()
    /// Where all streams receive into, one after the other.
    let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)

    private let waits: DescriptorTable
    private var streams: [ObjectIdentifier: TLSStream] = [:]
    private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
    /// Streams with something to say that did not come from a descriptor: a failed send, bytes left unread.
    private var attention: [TLSStream] = []
    private var finishedExchanges: [HTTPExchange] = []
    /// Handles that libcurl itself must drive: connecting streams and exchanges.
    private var driven = 0
    /// No deadline is earlier. It may have passed without anything being due: then all are asked once.
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
        // What an exchange's answer may cost is counted on its connection, which it therefore has for itself.
        push_curl_multi_set_long(multi, CURLMOPT_PIPELINING, 0)
        self.logger = logger
    }

    deinit {
        for stream in streams.values { stream.abandon(multi: multi) }
        for exchange in exchanges.values { exchange.abandon(multi: multi) }
        curl_multi_cleanup(multi)
        receiveBuffer.deallocate()
    }

    /// Open streams, connecting or closing ones included, and exchanges under way.
    package var liveHandles: Int { streams.count + exchanges.count }

    // MARK: Foreign descriptors

    /// Also wait for this descriptor, or wait for something else on it than before. It stays the caller's.
    package func watch(descriptor: Int32, reads: Bool, writes: Bool) {
        waits.set(.foreign(descriptor), descriptor: descriptor, reads: reads, writes: writes)
    }

    package func unwatch(descriptor: Int32) { waits.remove(descriptor: descriptor) }

    // MARK: The turn

    /// Waits until something happens, at most so long; does what is due; tells who asked to be told. Returns
    /// the foreign descriptors that are ready, most often none.
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
        attend()
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

    private func attend() {
        while !attention.isEmpty {
            let turn = attention
            attention.removeAll(keepingCapacity: true)
            for stream in turn { stream.attend() }
            // What asks again in its own turn (unread bytes) waits for the next, so that others are heard
            // too.
            if attention.allSatisfy({ $0.onlyWantsToRead }) { break }
        }
        while let exchange = finishedExchanges.popLast() { exchange.deliver() }
    }

    private func checkDeadlines() {
        nextDeadline = .max
        for stream in Array(streams.values) { remind(at: stream.checkDeadlines(now: now)) }
        attend()
    }

    // MARK: For streams and exchanges

    /// Ask everybody for what is due, at the latest then.
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
    /// - Parameter finished: libcurl has reported this handle as done, so it counts no more.
    func stopDriving(_ easy: UnsafeMutableRawPointer, finished: Bool) {
        if !finished { driven -= 1 }
        curl_multi_remove_handle(multi, easy)
    }

    private func multiError(_ what: String, _ code: CURLMcode) -> TransportError {
        TransportError(.curl(what: what, text: String(cString: curl_multi_strerror(code))))
    }
}

/// The moment of a loop's turn, for those who ask for it more often than a reference should be counted.
final class LoopClock {
    private(set) var now = Clocks.monotonicNanoseconds()
    func read() { now = Clocks.monotonicNanoseconds() }
}

/// libcurl asks to be loaded and set up once a process.
enum CurlLibrary {
    static func require() throws(TransportError) {
        if let trouble { throw trouble }
    }

    private static let trouble: TransportError? = {
        if let why = push_curl_load() {
            return TransportError(
                .curl(what: "cannot be loaded, install Debian's libcurl4", text: String(cString: why)))
        }
        // OpenSSL writes to sockets that may be broken, and CURLOPT_NOSIGNAL leaves SIGPIPE to us: it would
        // end the process. A handler that the program has set stays.
        push_ignore_broken_pipes()
        push_forget_environment()
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code != CURLE_OK else { return nil }
        return TransportError(
            .curl(what: "curl_global_init", text: String(cString: curl_easy_strerror(code))))
    }()
}

extension Duration {
    /// For deadlines; longer than 292 years is for ever.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 4 : whole &+ attoseconds / 1_000_000_000
    }
    var milliseconds: Int { Int(clamping: max(1, nanoseconds / 1_000_000)) }
}
