internal import CPushShims
internal import FoundationEssentials
internal import Glibc
package import PushModel
internal import PushStore
internal import PushSystem
package import PushWire

/// How the command line speaks to a running master.
package enum ControlClient {
    /// Tells the master, if one runs, that there is new work; it tells other hosts. Without it the master finds
    /// the work at its next poll, so a failure is none.
    /// - Returns: whether one runs, and took it.
    @discardableResult
    package static func nudge(storePath: String) -> Bool { tell(.nudge, storePath).isSent }

    /// Tells the master, if one runs, that a delivery was paused or goes on; it tells other hosts. Without it the
    /// master finds out within `dataBasePoolPeriodSec`, so a failure is none.
    /// - Returns: whether one runs, and took it.
    @discardableResult
    package static func pauseChanged(_ delivery: DeliveryID, storePath: String) -> Bool {
        tell(.pauseChanged(delivery), storePath).isSent
    }

    /// What a master makes of a notification.
    struct Reception {
        var isSent: Bool
        /// There is a master, and it did not answer in time.
        var isSilent: Bool
    }

    static func tell(
        _ request: ControlRequest, _ storePath: String, within milliseconds: Int64 = nudgeMilliseconds
    ) -> Reception {
        guard let call = ControlCall(to: storePath, within: milliseconds) else {
            // EAGAIN: as many clients wait as may.
            return Reception(isSent: false, isSilent: errno == EAGAIN)
        }
        let isSent = call.send(request.line)
        let isAnswered = call.rest(atMost: ControlAnswer.longestLine) != nil
        return Reception(isSent: isSent, isSilent: !isAnswered && call.isLate)
    }

    private static let answerMilliseconds: Int64 = 10_000
    /// A master that is busy finds the work by itself: nobody waits longer to be told that it was accepted.
    static let nudgeMilliseconds: Int64 = 1_000
    private static let mostStatusBytes = 256 << 20

    /// What the master is busy with; nil where none runs.
    package static func status(storePath: String) throws(MasterError) -> MasterStatus? {
        try status(storePath: storePath, within: answerMilliseconds)
    }

    static func status(
        storePath: String, within milliseconds: Int64
    ) throws(MasterError) -> MasterStatus? {
        guard try InstanceLock.isHeld(besideStore: storePath) else { return nil }
        let path = ControlSocket.path(besideStore: storePath)
        guard let call = ControlCall(to: storePath, within: milliseconds),
            call.send(ControlRequest.status.line), let answer = call.rest(atMost: mostStatusBytes),
            !answer.isEmpty
        else { throw .system(what: "ask the master at", path: path, errorNumber: errno) }
        do { return try JSONDecoder().decode(MasterStatus.self, from: Data(answer)) } catch {
            throw .system(what: "understand the answer of the master at", path: path, errorNumber: EPROTO)
        }
    }

    // MARK: Operations

    /// What became of an operation that a running master was to carry out.
    package enum Outcome: Equatable, Sendable {
        case answer([UInt8])
        /// Nothing was done: no master is there, or it does not take this one.
        case notTaken
        /// Nothing was done: there is a master, and it did not say in time whether it takes this one.
        case silent
        /// It was asked wholly, and there is no answer.
        case unknown
    }

    /// How long a master is waited for, in milliseconds.
    package struct Patience: Sendable {
        /// Until it says `go`: nothing is lost where it does not.
        package var admission: Int64 = 2_000
        /// Until the answer is there, from `go` on.
        package var answer: Int64 = 60_000
        /// While it says that it is busy.
        package var busy: Int64 = 5_000
        package init() {}
    }

    /// - Parameter mark: see ``OperationService/mark``.
    package static func carryOut(
        _ request: [UInt8], mark: String, storePath: String, patience: Patience = Patience()
    ) -> Outcome {
        guard !request.isEmpty, request.count <= ControlRequest.mostBytes else { return .notTaken }
        let end = Clocks.monotonic().advanced(byMilliseconds: patience.busy)
        while true {
            let attempt = attempt(request, mark: mark, storePath: storePath, patience)
            guard case .busy = attempt else {
                if case .outcome(let outcome) = attempt { return outcome }
                return .notTaken
            }
            guard Clocks.monotonic() < end else { return .notTaken }
            usleep(.random(in: 50_000...250_000))
        }
    }

    private enum Attempt {
        case outcome(Outcome)
        case busy
    }

    private static func attempt(_ request: [UInt8], mark: String, storePath: String, _ patience: Patience)
        -> Attempt
    {
        guard var call = ControlCall(to: storePath, within: patience.admission), call.isTrusted else {
            return .outcome(errno == EAGAIN ? .silent : .notTaken)
        }
        guard call.send(ControlRequest.operation(mark: mark, bytes: request.count).line) else {
            return .outcome(.notTaken)
        }
        switch call.line() {
        case .go: break
        case .busy: return .busy
        case .no, .answer: return .outcome(.notTaken)
        case nil: return .outcome(call.isLate ? .silent : .notTaken)
        }
        call.extend(to: patience.answer)
        // Half an operation is none.
        guard call.send(request) else { return .outcome(.notTaken) }
        switch call.line() {
        case .answer(let bytes): return .outcome(call.bytes(bytes).map { .answer($0) } ?? .unknown)
        case .busy: return .busy
        case .no: return .outcome(.notTaken)
        case .go, nil: return .outcome(.unknown)
        }
    }
}
