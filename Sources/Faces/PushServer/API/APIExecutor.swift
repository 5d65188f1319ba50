internal import HTTPTypes
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

extension Operation.Work {
    /// The kinds of work that have slots and threads.
    fileprivate static let lanes = allCases.filter { $0 != .immediate }

    fileprivate var limits: QueueLimits {
        switch self {
        case .message: QueueLimits(slots: 200, slotsForEachCaller: 20)
        case .change, .immediate: QueueLimits(slots: 200, slotsForEachCaller: 10)
        case .read: QueueLimits(slots: 400, slotsForEachCaller: 10, maxWait: .seconds(2))
        case .lengthy: QueueLimits(slots: 20, slotsForEachCaller: 2)
        }
    }
}

/// Carries out API requests. Each kind of work has its own queue, in which callers take turns: see
/// ``Operation/Work`` and ``FairQueue``.
final class APIExecutor: Sendable {
    let tokens = TokenChecks()
    private let lanes: [Operation.Work: WorkLane]

    /// A function that returns the number of threads for a kind of work.
    typealias Threads = @Sendable (Operation.Work) -> Int
    static let usual: Threads = { _ in 2 }
    /// Returns the total number of threads that an executor starts.
    static func threads(_ threads: Threads) -> Int {
        Operation.Work.lanes.reduce(TokenChecks.threads) { $0 + threads($1) }
    }

    init(_ threads: Threads = APIExecutor.usual) {
        lanes = Dictionary(
            uniqueKeysWithValues: Operation.Work.lanes.map {
                ($0, WorkLane(threads: threads($0), $0.limits))
            })
    }

    /// Closes all lanes without waiting for their threads, because a thread may hang in the store.
    func close() {
        tokens.close()
        for lane in lanes.values { lane.close() }
    }

    /// Refuses work that has waited too long. Must be called about once a second.
    func sweep() {
        tokens.sweep()
        for lane in lanes.values { lane.sweep() }
    }

    /// Runs work of the module itself on a thread that may wait for the disk. Does nothing once the executor
    /// is closed.
    func run(_ work: @escaping @Sendable () -> Void) {
        lanes[.change]?.submit(of: "", work) { _ in }
    }

    /// - Returns: Whether the caller received a slot. If so, ``leave(_:_:)`` must be called later.
    func enter(_ work: Operation.Work, _ caller: String) -> Bool { lanes[work]?.enter(caller) ?? true }

    func leave(_ work: Operation.Work, _ caller: String) { lanes[work]?.leave(caller) }

    nonisolated(nonsending) func carryOut(_ route: APIRoute, _ call: APICall) async throws(APIProblem)
        -> APIAnswer
    {
        let caller = call.operations.caller
        guard enter(route.work, caller) else { throw APIProblem.tooManyRequests }
        defer { leave(route.work, caller) }
        let result = await withCheckedContinuation { continuation in
            let then: APIRoute.Completion = { continuation.resume(returning: $0) }
            let begin = { @Sendable in
                switch route.performance {
                case .returning(let work): then(Result { try work(call) })
                case .callingBack(let work): work(call, then)
                }
            }
            guard let lane = lanes[route.work] else { return begin() }
            lane.submit(of: caller, begin) { then(.failure($0)) }
        }
        do { return try result.get() } catch { throw APIProblem(of: error) }
    }
}
