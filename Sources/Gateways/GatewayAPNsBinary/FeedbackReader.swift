package import GatewayKit
package import PushTransport
package import PushWire

/// Reads Apple's discontinued feedback service, or a private feedback service, from connecting to the end of
/// the stream (Apple, "Binary Provider API").
///
/// The reader sends no request. The service identifies the app by our certificate alone, sends the app's dead
/// tokens and then forgets them. **Promises.** The end is reported exactly once in all cases. Silence is
/// limited by ``patience``. Tuples are reported in batches, so that memory use does not grow with the list.
/// The reader does not read faster than ``Limits`` allow, even if the peer sends faster: TCP then slows the
/// peer down. **Neighbours.** `FeedbackDecoder`; `FeedbackPoll`, which waits for it.
package final class FeedbackReader: FeedbackReading {
    /// Limits on the data that one service may send.
    package struct Limits: Sendable {
        /// The maximum number of tuples per second. At this rate, a store can look up each tuple in addition
        /// to its other work.
        package var tuplesPerSecond = 50_000
        /// The maximum number of tuples in one reading. The number of an app's devices whose tokens die
        /// between two readings is always lower.
        package var tuples = 5_000_000
        package init() {}
    }

    /// The maximum silence of the service, in nanoseconds.
    private static let patience: Int64 = 30_000_000_000
    /// The maximum duration of a reading, in nanoseconds. A service that trickles data forever must not
    /// occupy its child.
    private static let longestReading: Int64 = 600_000_000_000
    /// The number of consecutive reads before other users of the loop get their turn.
    private static let readsPerTurn = 8
    /// The number of shares into which a second's tuples are divided, so that other users of the loop do not
    /// wait until all these tuples are read.
    private static let sharesPerSecond: Int64 = 10

    private weak var listener: (any FeedbackListener)?
    private let loop: TransportLoop
    private var stream: TLSStream!
    private var decoder = FeedbackDecoder()
    private var isOpen = false
    private var isOver = false
    private var deadline: Int64
    private var lastMoment: Int64
    private let limits: Limits
    private var told = 0
    /// The number of tuples read since the current share began, and the time when the next share begins.
    private var shareUsed = 0
    private var nextShare: Int64 = 0

    /// Starts connecting. The loop keeps the reader alive until its end.
    /// - Throws: ``ConnectorError``, `WireError` or `TransportError` if the account's settings cannot work.
    package init(
        _ order: AccountOrder, loop: TransportLoop, listener: any FeedbackListener, limits: Limits = Limits()
    ) throws {
        self.listener = listener
        self.loop = loop
        self.limits = limits
        deadline = loop.now + Self.patience
        lastMoment = loop.now + Self.longestReading
        stream = try TLSStream(
            loop: loop, endpoint: try APNsBinaryHosts.feedback(order),
            tls: try APNsBinaryHosts.identity(order),
            configuration: TLSStream.Configuration(), delegate: self)
    }

    package func finish(withinSeconds seconds: Int64) {
        lastMoment = min(lastMoment, loop.now + seconds * 1_000_000_000)
        stream.remind(at: lastMoment)
    }

    private func read() {
        guard !isOver else { return }
        guard hasShare else { return rest() }
        unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            for _ in 0..<Self.readsPerTurn {
                let count = unsafe stream.receive(into: buffer)
                guard count > 0 else { return }
                deadline = loop.now + Self.patience
                unsafe decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                guard reportTuples() else { return }
                guard hasShare else { return rest() }
            }
            stream.leaveUnread()
        }
    }

    private var hasShare: Bool {
        if loop.now >= nextShare {
            shareUsed = 0
            nextShare = loop.now + 1_000_000_000 / Self.sharesPerSecond
        }
        return shareUsed < max(limits.tuplesPerSecond / Int(Self.sharesPerSecond), 1)
    }

    /// Pauses until the next share.
    private func rest() {
        stream.isHeldBack = true
        stream.remind(at: nextShare)
    }

    /// Reports the complete tuples. If the stream is invalid or exceeds its limit, ends the reading and
    /// returns `false`.
    private func reportTuples() -> Bool {
        var tuples: [FeedbackTuple] = []
        var failure: FeedbackEnd?
        do throws(FeedbackError) {
            while failure == nil, let tuple = try decoder.next() {
                if told + tuples.count < limits.tuples {
                    tuples.append(tuple)
                } else {
                    failure = .cut(
                        reason: "it reported \(limits.tuples) devices and did not end: the rest is ignored")
                }
            }
        } catch {
            failure = .absurd(reason: "\(error)")
        }
        told += tuples.count
        shareUsed += tuples.count
        if !tuples.isEmpty { listener?.feedback(tuples) }
        if let failure { end(failure) }
        return failure == nil
    }

    private func end(_ end: FeedbackEnd) {
        guard !isOver else { return }
        isOver = true
        stream.close(because: .local)
        listener?.feedbackEnded(end)
    }
}

extension FeedbackReader: TLSStreamDelegate {
    package func streamOpened(_ stream: TLSStream) {
        isOpen = true
        deadline = loop.now + Self.patience
        stream.remind(at: min(deadline, lastMoment))
    }

    package func streamReadable(_ stream: TLSStream) { read() }

    package func streamWritable(_ stream: TLSStream) {}

    package func streamClosed(_ stream: TLSStream, cause: CloseCause) {
        let certificate = APNsBinaryReply.judge(.certificate, detail: cause.description).reason
        let lost = APNsBinaryReply.judge(.connectionLost, detail: cause.description).reason
        switch cause {
        case _ where cause.isCertificateFailure: end(.refused(reason: certificate))
        case _ where !isOpen: end(.unreachable(reason: lost))
        case .peerClosed where decoder.pendingBytes == 0: end(.complete)
        case .peerClosed: end(.cut(reason: "the stream ended \(decoder.pendingBytes) bytes into a tuple"))
        default: end(.cut(reason: lost))
        }
    }

    package func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 {
        guard isOpen else { return .max }
        if now >= lastMoment {
            end(.cut(reason: "it was still sending at the end of its time limit"))
            return .max
        }
        if now >= deadline { stream.close(because: .silent) }
        guard stream.isHeldBack else { return min(deadline, lastMoment) }
        guard now >= nextShare else { return min(deadline, lastMoment, nextShare) }
        stream.isHeldBack = false
        return min(deadline, lastMoment)
    }
}
