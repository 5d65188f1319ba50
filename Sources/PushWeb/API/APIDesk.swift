internal import HTTPTypes
internal import NIOPosix
internal import PushModel
internal import PushOperations
internal import PushSystem
internal import PushWire
internal import Synchronization

/// Where requests of the API are carried out: a few threads that may wait for the store, and a bounded number of
/// requests. Remembers whose a token is for a second, so that callers who ask often cost no read each; what is
/// revoked is good for that much longer.
final class APIDesk: Sendable {
    /// As many operations at once; others wait.
    static let threads = 4
    /// Requests that are being answered.
    static let mostAtOnce = 200
    private static let freshMilliseconds: Int64 = 1_000
    private static let mostGrants = 100

    private struct State {
        var atOnce = 0
        var grants: [String: (grant: AccessTokenView, at: MonotonicTime)] = [:]
    }

    private let state = Mutex(State())
    private let pool: NIOThreadPool

    init() {
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    /// Waits for nobody: who hangs in the store may hang on.
    func close() { pool.shutdownGracefully { _ in } }

    /// Something of the module's own that may wait for the disk; where the desk closes, it is left.
    func run(_ work: @escaping @Sendable () -> Void) {
        pool.submit { state in if state == .active { work() } }
    }

    /// nil: it is none, or was revoked.
    nonisolated(nonsending) func grant(
        of token: String, _ operations: Operations
    ) async throws(APIProblem) -> AccessTokenView? {
        let now = Clocks.monotonic()
        if let known = knownGrant(of: token) { return known }
        let grant = try await within { then in
            self.onThread(then) { try operations.carryOut(CheckAccess(token: token)) }
        }
        state.withLock { state in
            if state.grants.count >= Self.mostGrants { state.grants = [:] }
            state.grants[token] = grant.map { ($0, now) }
        }
        return grant
    }

    /// What was found out a moment ago; nil: it is to be asked for.
    func knownGrant(of token: String) -> AccessTokenView? {
        let now = Clocks.monotonic()
        return state.withLock { state in
            guard let known = state.grants[token],
                now.milliseconds(since: known.at) < Self.freshMilliseconds
            else { return nil }
            return known.grant
        }
    }

    nonisolated(nonsending) func carryOut(_ route: APIRoute, _ call: APICall) async throws(APIProblem)
        -> APIAnswer
    {
        try await within { then in
            switch route.work {
            case .done(let work): self.onThread(then) { try work(call) }
            case .told(let atOnce, let otherwise):
                if !atOnce(call, then) { self.begin(then) { otherwise(call, $0) } }
            }
        }
    }

    /// Says in the audit trail what was done. Where that cannot be written the store is in trouble, which the log and
    /// alarms tell; the caller is told what became of the request, not of its trace.
    nonisolated(nonsending) func note(_ route: APIRoute, _ call: APICall, _ answer: APIAnswer) async {
        var things = call.names.sorted { $0.key < $1.key }.map(\.value)
        if let location = answer.location { things.append(location) }
        let change = NoteChange(
            who: call.caller, action: "\(route.method.rawValue) \(route.path.text)",
            what: things.joined(separator: " "))
        _ = try? await within { then in self.onThread(then) { try call.operations.carryOut(change) } }
    }

    private typealias Then<Value> = @Sendable (Result<Value, any Error>) -> Void

    private static let ending = OperationError(.unavailable, "the service ends; try again in a moment")

    private func onThread<Value: Sendable>(
        _ then: @escaping Then<Value>, _ work: @escaping @Sendable () throws -> Value
    ) {
        begin(then) { $0(Result { try work() }) }
    }

    private func begin<Value>(
        _ then: @escaping Then<Value>, _ work: @escaping @Sendable (@escaping Then<Value>) -> Void
    ) {
        pool.submit { state in
            guard state == .active else { return then(.failure(Self.ending)) }
            work(then)
        }
    }

    /// - Returns: whether one more may be carried out; then ``leave()`` follows.
    func enter() -> Bool {
        state.withLock { state in
            guard state.atOnce < Self.mostAtOnce else { return false }
            state.atOnce += 1
            return true
        }
    }

    func leave() { state.withLock { $0.atOnce -= 1 } }

    /// One of a bounded number.
    nonisolated(nonsending) private func within<Value: Sendable>(
        _ work: @Sendable (@escaping Then<Value>) -> Void
    ) async throws(APIProblem) -> Value {
        guard enter() else {
            throw APIProblem(
                .serviceUnavailable, "too many requests wait to be answered; try again in a moment")
        }
        defer { leave() }
        let result = await withCheckedContinuation { continuation in
            work { continuation.resume(returning: $0) }
        }
        do { return try result.get() } catch { throw APIProblem(of: error) }
    }
}
