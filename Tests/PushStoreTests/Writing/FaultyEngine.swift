import PushStore
import Synchronization

/// The engine of a store, whose transactions fail when the test requires it.
final class FaultyEngine: WriteEngine {
    enum Place: CaseIterable { case statement, commit, afterCommit }
    struct Fault {
        var place: Place
        var error: StoreError
        /// The number of transactions that fail.
        var times: Int
        /// Whether the store no longer answers the query about the last group.
        var isSilent = false
    }

    private let engine: any WriteEngine
    private let state = Mutex<(fault: Fault?, hits: Int)>((nil, 0))

    init(_ engine: any WriteEngine) { self.engine = engine }

    func fail(_ fault: Fault) { state.withLock { $0.fault = fault } }
    var hits: Int { state.withLock(\.hits) }

    private func take() -> Fault? {
        state.withLock { state in
            guard var fault = state.fault, fault.times > 0 else { return nil }
            fault.times -= 1
            state.fault = fault
            state.hits += 1
            return fault
        }
    }

    func transaction(group: Int64, _ body: () throws(StoreError) -> Void) throws(TransactionFailure) {
        guard let fault = take() else { return try engine.transaction(group: group, body) }
        switch fault.place {
        case .statement:
            try engine.transaction(group: group) { () throws(StoreError) in
                try body()
                throw fault.error
            }
        case .commit:
            do throws(TransactionFailure) {
                try engine.transaction(group: group) { () throws(StoreError) in
                    try body()
                    throw fault.error
                }
            } catch { throw TransactionFailure(error.error, mayBeCommitted: true) }
        case .afterCommit:
            try engine.transaction(group: group, body)
            throw TransactionFailure(fault.error, mayBeCommitted: true)
        }
    }

    func lastGroup() throws(StoreError) -> Int64 {
        if let fault = state.withLock({ $0.hits > 0 ? $0.fault : nil }), fault.isSilent { throw fault.error }
        return try engine.lastGroup()
    }
}
