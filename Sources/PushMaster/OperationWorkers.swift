internal import Dispatch
package import PushModel
internal import PushSystem
internal import Synchronization

/// Who carries out operations for others, in bytes: PushMaster does not know what they are.
package struct OperationService: Sendable {
    /// What a client must have as well, so that it makes no difference who carries out what it asks.
    package let mark: @Sendable () -> String
    /// Called on several threads at once. Whatever the bytes hold, there is an answer, once, perhaps on another
    /// thread and later: what waits for a commit that others share need not keep a thread waiting.
    package let begin: Begin
    package typealias Begin = @Sendable ([UInt8], _ then: @escaping @Sendable ([UInt8]) -> Void) -> Void

    package init(mark: @escaping @autoclosure @Sendable () -> String, begin: @escaping Begin) {
        self.mark = mark
        self.begin = begin
    }

    package init(
        mark: @escaping @autoclosure @Sendable () -> String, answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.init(mark: mark()) { $1(answer($0)) }
    }
}

/// A few threads that carry out operations, several at once; a bounded number of them may wait.
package final class OperationWorkers: Sendable {
    package static let threads = 6
    /// With these and those in the threads' hands, clients of the control socket have places left for
    /// `status`.
    package static let mostWaiting = 32
    /// An operation parses documents of some depth and asks SQLite: less than the usual 8 MiB, of which only
    /// what is used is taken.
    private static let stackBytes = 2 << 20

    package struct Ticket: Equatable, Sendable { fileprivate let number: UInt64 }

    private struct Order: Sendable {
        let number: UInt64
        /// nil: nothing is to be answered, `then` is all.
        let request: [UInt8]?
        let then: @Sendable ([UInt8]?) -> Void
    }
    private struct State {
        /// nil: not open yet, or no more.
        var begin: OperationService.Begin?
        var waiting: [Order] = []
        var lastNumber: UInt64 = 0
        var carriedOut = 0
        var threads: [DedicatedThread] = []
    }

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    /// What has begun and has no answer yet.
    private let begun = DispatchGroup()
    private let mostWaiting: Int

    package init(mostWaiting: Int = OperationWorkers.mostWaiting) { self.mostWaiting = mostWaiting }

    /// How many were carried out.
    package var carriedOut: Int { state.withLock { $0.carriedOut } }

    /// How many wait.
    package var waiting: Int { state.withLock { $0.waiting.count } }
    package var hasRoom: Bool { state.withLock { $0.begin != nil && $0.waiting.count < mostWaiting } }
    package var isOpen: Bool { state.withLock { $0.begin != nil } }

    package func start(
        threads: Int = OperationWorkers.threads, answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws(MasterError) {
        try start(threads: threads) { $1(answer($0)) }
    }

    package func start(
        threads: Int = OperationWorkers.threads, begin: @escaping OperationService.Begin
    ) throws(MasterError) {
        state.withLock { $0.begin = begin }
        do throws(MasterError) {
            for number in 1...max(threads, 1) {
                let thread = try DedicatedThread(named: "operations \(number)", stackBytes: Self.stackBytes) {
                    self.run()
                }
                state.withLock { $0.threads.append(thread) }
            }
        } catch {
            stop(by: Clocks.monotonic())
            throw error
        }
    }

    /// - Parameter then: given the answer, on a worker's thread; nil: it was not carried out, nor will be.
    /// - Returns: nil where too many wait, or nobody works: `then` will not be called.
    package func carryOut(_ request: [UInt8], then: @escaping @Sendable ([UInt8]?) -> Void) -> Ticket? {
        let ticket = state.withLock { state -> Ticket? in
            guard state.begin != nil, state.waiting.count < mostWaiting else { return nil }
            state.lastNumber += 1
            state.waiting.append(Order(number: state.lastNumber, request: request, then: then))
            return Ticket(number: state.lastNumber)
        }
        if ticket != nil { work.signal() }
        return ticket
    }

    /// Has something else done by the workers, for this process itself. Does not wait.
    /// - Returns: false where too many wait, or nobody works.
    package func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard state.begin != nil, state.waiting.count < mostWaiting else { return false }
            state.lastNumber += 1
            state.waiting.append(Order(number: state.lastNumber, request: nil) { if $0 != nil { body() } })
            return true
        }
        if isTaken { work.signal() }
        return isTaken
    }

    /// Whoever asked has gone: what has not begun is not begun.
    package func withdraw(_ ticket: Ticket) {
        state.withLock { $0.waiting.removeAll { $0.number == ticket.number } }
    }

    /// Nothing more is begun; what has begun may end.
    /// - Returns: false where something still is carried out at the deadline: it must not be waited for.
    @discardableResult
    package func stop(by deadline: MonotonicTime) -> Bool {
        let (dropped, threads) = state.withLock { state in
            defer { (state.begin, state.waiting) = (nil, []) }
            return (state.waiting, state.threads)
        }
        for order in dropped { order.then(nil) }
        for _ in threads { work.signal() }
        let haveEnded = threads.reduce(true) { $1.join(until: deadline) && $0 }
        let left = max(deadline.nanoseconds - Clocks.monotonic().nanoseconds, 0)
        return begun.wait(timeout: .now() + .nanoseconds(Int(left))) == .success && haveEnded
    }

    private func run() {
        while true {
            work.wait()
            // A wake-up may be that of an order that was withdrawn.
            let (order, begin) = state.withLock { state in
                (
                    state.waiting.isEmpty || state.begin == nil ? nil : state.waiting.removeFirst(),
                    state.begin
                )
            }
            guard let begin else { return }
            guard let order else { continue }
            guard let request = order.request else {
                order.then([])
                continue
            }
            begun.enter()
            begin(request) { [self] bytes in
                state.withLock { $0.carriedOut += 1 }
                order.then(bytes)
                begun.leave()
            }
        }
    }
}
