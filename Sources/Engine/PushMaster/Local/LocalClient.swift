internal import CPushShims
internal import FoundationEssentials
internal import Glibc
package import PushModel
internal import PushStore
internal import PushSystem
package import PushWire

/// The functions that other processes on the machine use to contact a running service through its
/// ``LocalSocket``.
package enum LocalClient {
    /// A notification of a change that the service would otherwise find in the store later.
    enum Notice: Hashable {
        /// The store was changed. There may be work.
        case wakeUp
        /// This delivery was paused or resumed.
        case pauseChanged(DeliveryID)

        var path: String {
            switch self {
            case .wakeUp: "/wake-up"
            case .pauseChanged(let delivery): "/deliveries/\(delivery)/look"
            }
        }
    }

    /// Notifies the master, if one is running, of new work. The master notifies other hosts. If this fails,
    /// the master finds the work at its next poll, so a failure is not reported.
    /// - Returns: Whether a master accepted the notification.
    @discardableResult
    package static func wakeUp(storePath: String) -> Bool { notify(.wakeUp, storePath).isTaken }

    /// Notifies the master, if one is running, that a delivery was paused or resumed. The master notifies
    /// other hosts. If this fails, the master finds the change within `dataBasePoolPeriodSec`, so a failure
    /// is not reported.
    /// - Returns: Whether a master accepted the notification.
    @discardableResult
    package static func pauseChanged(_ delivery: DeliveryID, storePath: String) -> Bool {
        notify(.pauseChanged(delivery), storePath).isTaken
    }

    /// The master's reaction to a notification.
    struct NotifyResult {
        var isTaken: Bool
        /// Whether there is a master that did not answer in time.
        var isSilent: Bool
    }

    static func notify(
        _ notice: Notice, _ storePath: String, within milliseconds: Int64 = noticeMilliseconds
    ) -> NotifyResult {
        guard var connection = LocalConnection(to: storePath, within: milliseconds) else {
            // EAGAIN: the queue of the socket is full.
            return NotifyResult(isTaken: false, isSilent: errno == EAGAIN)
        }
        let answer = connection.send("POST", notice.path) ? connection.answer() : nil
        return NotifyResult(
            isTaken: answer?.isSuccess == true, isSilent: answer == nil && connection.isLate)
    }

    private static let answerMilliseconds: Int64 = 10_000
    /// The maximum time for which a caller waits to learn whether the master accepted the notification. A
    /// busy master finds the work by itself.
    static let noticeMilliseconds: Int64 = 1_000

    /// Returns the master's current status; `nil` if no master is running.
    package static func status(storePath: String) throws(MasterError) -> MasterStatus? {
        try status(storePath: storePath, within: answerMilliseconds)
    }

    static func status(
        storePath: String, within milliseconds: Int64
    ) throws(MasterError) -> MasterStatus? {
        guard try InstanceLock.isHeld(forStore: storePath) else { return nil }
        let path = LocalSocket.path(forStore: storePath)
        guard var connection = LocalConnection(to: storePath, within: milliseconds),
            connection.send("GET", "/master"), let answer = connection.answer()
        else {
            // A master that cannot read the request closes the connection or sends an answer in another form.
            if [EPIPE, ECONNRESET, EPROTO].contains(errno) { throw .otherVersion(socket: path) }
            throw .system(what: "query the master at", path: path, errorNumber: errno)
        }
        do { return try JSONDecoder().decode(MasterStatus.self, from: Data(answer.body)) } catch {
            throw .otherVersion(socket: path)
        }
    }

    /// Returns the id of the process that listens on the socket, whatever that process's version is; `nil` if
    /// no process listens.
    package static func process(storePath: String) -> Int32? {
        LocalConnection(to: storePath, within: noticeMilliseconds)?.process
    }

    /// Sends SIGTERM to the process that listens on the socket. Use this function for a master of another
    /// version, whose answers this process does not understand.
    /// - Returns: The id of the process; `nil` if no process listens, or if this process is not permitted to
    ///   send it a signal.
    package static func terminate(storePath: String) -> Int32? {
        guard let process = process(storePath: storePath), kill(process, SIGTERM) == 0 else { return nil }
        return process
    }

    // MARK: Operations

    /// The maximum waits for a master, in milliseconds.
    package struct Timeouts: Sendable {
        /// The maximum wait for the first answer. If no answer arrives, the operation has not begun.
        package var admission: Int64 = 2_000
        /// The maximum wait from the first answer until the complete answer to the operation has arrived.
        package var answer: Int64 = 60_000
        /// The maximum time for which requests are repeated while the master answers that it is busy.
        package var busy: Int64 = 5_000
        package init() {}
    }

    /// Maximum size of a request's body, in bytes. A larger request is not sent to the master: the process
    /// that received the request must perform it.
    package static let maxBodyBytes = 1 << 20

    /// - Parameters:
    ///   - caller: The caller on whose behalf this process makes the request; `nil` if it makes the request
    ///     for its own user.
    ///   - mark: The version, the store and the settings that the master must have (`If-Match`), so that the
    ///     result does not depend on which process performs the operation; `nil` if the master need not
    ///     match.
    package static func carryOut(
        _ request: ServiceRequest, for caller: String? = nil, mark: String?, storePath: String,
        timeouts: Timeouts = Timeouts()
    ) -> CarriedOut {
        guard request.body.count <= maxBodyBytes else { return .notTaken }
        var fields: [(name: String, value: String)] = []
        if let mark { fields.append(("If-Match", "\"\(mark)\"")) }
        if let caller { fields.append((ServiceRequest.callerField, APIAddress.encoded(caller))) }
        if let services = request.servicesText { fields.append((ServiceRequest.servicesField, services)) }
        if let key = request.idempotencyKey { fields.append(("Idempotency-Key", key)) }
        let end = Clocks.monotonic().advanced(byMilliseconds: timeouts.busy)
        while true {
            guard let outcome = attempt(request, fields, storePath: storePath, timeouts) else {
                guard Clocks.monotonic() < end else { return .notTaken }
                usleep(.random(in: 50_000...250_000))
                continue
            }
            return outcome
        }
    }

    /// - Returns: `nil` if the master is busy.
    private static func attempt(
        _ request: ServiceRequest, _ fields: [(name: String, value: String)], storePath: String,
        _ timeouts: Timeouts
    ) -> CarriedOut? {
        guard var connection = LocalConnection(to: storePath, within: timeouts.admission),
            connection.isTrusted
        else { return errno == EAGAIN ? .silent : .notTaken }
        // This query ensures that a master that is stopped or of another version does not receive the
        // operation.
        guard connection.send("GET", "/instance"), let instance = connection.answer() else {
            return connection.isLate ? .silent : .notTaken
        }
        guard instance.isSuccess else { return isBusy(instance) ? nil : .notTaken }
        connection.extend(to: timeouts.answer)
        // The master ignores a request that ends prematurely.
        guard connection.send(request.method, request.target, fields, body: request.body) else {
            return .notTaken
        }
        guard let answer = connection.answer() else { return .unknown }
        return isBusy(answer) ? nil : .answer(answer)
    }

    private static func isBusy(_ answer: ServiceReply) -> Bool { answer.code == ServiceReply.busy }
}
