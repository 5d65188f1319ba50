internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushSystem
internal import PushWire

/// Kinds of work, by what they may wait for. Each has slots and threads of its own: none waits for another.
enum APIWorkKind: CaseIterable, Sendable {
    /// Single messages.
    case message
    /// Everything else that changes something, in a few transactions.
    case change
    /// What only reads. A read that cannot be begun soon is refused, because reads may be as slow as the
    /// store is large.
    case read
    /// What may take minutes.
    case lengthy

    fileprivate var limits: QueueLimits {
        switch self {
        case .message: QueueLimits(slots: 200, slotsForEachCaller: 20)
        case .change: QueueLimits(slots: 200, slotsForEachCaller: 10)
        case .read: QueueLimits(slots: 400, slotsForEachCaller: 10, maxWait: .seconds(2))
        case .lengthy: QueueLimits(slots: 20, slotsForEachCaller: 2)
        }
    }
}

/// Where requests of the API are carried out, by kind and by caller: see ``APIWorkKind`` and ``FairQueue``.
final class APIDesk: Sendable {
    let tokens = TokenChecks()
    private let messages: WorkLane
    private let changes: WorkLane
    private let reads: WorkLane
    private let lengthy: WorkLane

    /// Threads of each kind.
    typealias Threads = @Sendable (APIWorkKind) -> Int
    static let usual: Threads = { _ in 2 }
    /// Threads in all.
    static func threads(_ threads: Threads) -> Int {
        APIWorkKind.allCases.reduce(TokenChecks.threads) { $0 + threads($1) }
    }

    init(_ threads: Threads = APIDesk.usual) {
        func lane(_ kind: APIWorkKind) -> WorkLane { WorkLane(threads: threads(kind), kind.limits) }
        (messages, changes, reads, lengthy) = (lane(.message), lane(.change), lane(.read), lane(.lengthy))
    }

    private func lane(_ kind: APIWorkKind) -> WorkLane {
        switch kind {
        case .message: messages
        case .change: changes
        case .read: reads
        case .lengthy: lengthy
        }
    }

    /// Does not wait for threads: one may hang in the store.
    func close() {
        tokens.close()
        for kind in APIWorkKind.allCases { lane(kind).close() }
    }

    /// Refuses what has waited too long. Must be called every second or so.
    func sweep() {
        tokens.sweep()
        for kind in APIWorkKind.allCases { lane(kind).sweep() }
    }

    /// Has work of the module itself done that may wait for the disk. Does nothing once the desk is closed.
    func run(_ work: @escaping @Sendable () -> Void) {
        lane(.change).submit(of: "", work) { _ in }
    }

    /// - Returns: whether the caller has a slot; then ``leave(_:_:)`` must follow.
    func enter(_ kind: APIWorkKind, _ caller: String) -> Bool { lane(kind).enter(caller) }

    func leave(_ kind: APIWorkKind, _ caller: String) { lane(kind).leave(caller) }

    nonisolated(nonsending) func carryOut(_ route: APIRoute, _ call: APICall) async throws(APIProblem)
        -> APIAnswer
    {
        let lane = lane(route.kind)
        guard lane.enter(call.caller) else { throw APIProblem.tooManyRequests }
        defer { lane.leave(call.caller) }
        let result = await withCheckedContinuation { continuation in
            let then: APIRoute.Then = { continuation.resume(returning: $0) }
            switch route.work {
            case .immediate(let work): then(Result { try work(call) })
            case .done(let work), .lengthy(let work):
                lane.submit(of: call.caller) {
                    then(Result { try work(call) })
                } orRefuse: {
                    then(.failure($0))
                }
            case .told(let atOnce, let otherwise):
                guard !atOnce(call, then) else { return }
                lane.submit(of: call.caller) {
                    otherwise(call, then)
                } orRefuse: {
                    then(.failure($0))
                }
            }
        }
        do { return try result.get() } catch { throw APIProblem(of: error) }
    }
}
