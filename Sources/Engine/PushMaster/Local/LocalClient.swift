internal import CPushShims
internal import FoundationEssentials
internal import Glibc
package import PushModel
internal import PushStore
internal import PushSystem
package import PushWire

/// How other processes of the machine ask a running service, on its ``LocalSocket``.
package enum LocalClient {
    /// Something that the service learns sooner by it, and otherwise finds in the store.
    enum Notice: Hashable {
        /// The store was changed: there may be work.
        case nudge
        /// This delivery was paused, or continues.
        case pauseChanged(DeliveryID)

        var path: String {
            switch self {
            case .nudge: "/nudge"
            case .pauseChanged(let delivery): "/deliveries/\(delivery)/look"
            }
        }
    }

    /// Notifies the master, if one runs, that there is new work; it notifies other hosts. Otherwise the master finds the
    /// work at its next poll, so a failure is not reported.
    /// - Returns: whether a master took it.
    @discardableResult
    package static func nudge(storePath: String) -> Bool { notify(.nudge, storePath).isTaken }

    /// Notifies the master, if one runs, that a delivery was paused or continues; it notifies other hosts. Otherwise the
    /// master finds out within `dataBasePoolPeriodSec`, so a failure is not reported.
    /// - Returns: whether a master took it.
    @discardableResult
    package static func pauseChanged(_ delivery: DeliveryID, storePath: String) -> Bool {
        notify(.pauseChanged(delivery), storePath).isTaken
    }

    /// What a master makes of a notification.
    struct Reception {
        var isTaken: Bool
        /// There is a master, and it did not answer in time.
        var isSilent: Bool
    }

    static func notify(
        _ notice: Notice, _ storePath: String, within milliseconds: Int64 = noticeMilliseconds
    ) -> Reception {
        guard var connection = LocalConnection(to: storePath, within: milliseconds) else {
            // EAGAIN: the queue of the socket is full.
            return Reception(isTaken: false, isSilent: errno == EAGAIN)
        }
        let answer = connection.send("POST", notice.path) ? connection.answer() : nil
        return Reception(
            isTaken: answer?.isSuccess == true, isSilent: answer == nil && connection.isLate)
    }

    private static let answerMilliseconds: Int64 = 10_000
    /// A master that is busy finds the work by itself: no caller waits longer to learn that it was accepted.
    static let noticeMilliseconds: Int64 = 1_000

    /// What the master is busy with; nil: none runs.
    package static func status(storePath: String) throws(MasterError) -> MasterStatus? {
        try status(storePath: storePath, within: answerMilliseconds)
    }

    static func status(
        storePath: String, within milliseconds: Int64
    ) throws(MasterError) -> MasterStatus? {
        guard try InstanceLock.isHeld(besideStore: storePath) else { return nil }
        let path = LocalSocket.path(besideStore: storePath)
        guard var connection = LocalConnection(to: storePath, within: milliseconds),
            connection.send("GET", "/master"), let answer = connection.answer()
        else {
            // A master that cannot read the request closes the connection, or answers something else.
            if [EPIPE, ECONNRESET, EPROTO].contains(errno) { throw .otherVersion(socket: path) }
            throw .system(what: "ask the master at", path: path, errorNumber: errno)
        }
        do { return try JSONDecoder().decode(MasterStatus.self, from: Data(answer.body)) } catch {
            throw .otherVersion(socket: path)
        }
    }

    /// Asks the process that listens on the socket to end as an operator does who knows only its number. For a master of
    /// another version, which answers nothing that this version understands.
    /// - Returns: the process; nil: none listens, or it may not be signalled.
    package static func terminate(storePath: String) -> Int32? {
        guard let connection = LocalConnection(to: storePath, within: noticeMilliseconds),
            let process = connection.process, kill(process, SIGTERM) == 0
        else { return nil }
        return process
    }

    // MARK: Operations

    /// How long a master is waited for, in milliseconds.
    package struct Patience: Sendable {
        /// Until it has answered at all: nothing is lost if it does not.
        package var admission: Int64 = 2_000
        /// Until the answer has come, from then on.
        package var answer: Int64 = 60_000
        /// While it answers that it is busy.
        package var busy: Int64 = 5_000
        package init() {}
    }

    /// Maximum size of a request's body, in bytes. A larger one is left to the process that has it.
    package static let maxBodyBytes = 1 << 20

    /// - Parameters:
    ///   - caller: for whom this process asks; nil: its user.
    ///   - mark: the version, the store and the settings that the master must have (`If-Match`), so that it makes no
    ///     difference which process performs the operation; nil: they make none.
    package static func carryOut(
        _ request: ServiceRequest, for caller: String? = nil, mark: String?, storePath: String,
        patience: Patience = Patience()
    ) -> CarriedOut {
        guard request.body.count <= maxBodyBytes else { return .notTaken }
        var fields: [(name: String, value: String)] = []
        if let mark { fields.append(("If-Match", "\"\(mark)\"")) }
        if let caller { fields.append((ServiceRequest.callerField, APIAddress.encoded(caller))) }
        if let key = request.idempotencyKey { fields.append(("Idempotency-Key", key)) }
        let end = Clocks.monotonic().advanced(byMilliseconds: patience.busy)
        while true {
            guard let outcome = attempt(request, fields, storePath: storePath, patience) else {
                guard Clocks.monotonic() < end else { return .notTaken }
                usleep(.random(in: 50_000...250_000))
                continue
            }
            return outcome
        }
    }

    /// - Returns: nil: it is busy.
    private static func attempt(
        _ request: ServiceRequest, _ fields: [(name: String, value: String)], storePath: String,
        _ patience: Patience
    ) -> CarriedOut? {
        guard var connection = LocalConnection(to: storePath, within: patience.admission),
            connection.isTrusted
        else { return errno == EAGAIN ? .silent : .notTaken }
        // A master that is stopped, or of another version, does not receive the operation.
        guard connection.send("GET", "/instance"), let instance = connection.answer() else {
            return connection.isLate ? .silent : .notTaken
        }
        guard instance.isSuccess else { return isBusy(instance) ? nil : .notTaken }
        connection.extend(to: patience.answer)
        // The master ignores a request that ends in the middle.
        guard connection.send(request.method, request.target, fields, body: request.body) else {
            return .notTaken
        }
        guard let answer = connection.answer() else { return .unknown }
        return isBusy(answer) ? nil : .answer(answer)
    }

    private static func isBusy(_ answer: ServiceReply) -> Bool { answer.code == ServiceReply.busy }
}
