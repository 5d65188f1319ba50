package import PushModel
package import PushWire
internal import Synchronization

/// The master's interface for the other services of its process, usable from any thread.
///
/// A new operation requires a case of ``LoopEvent`` and a function in this type.
package struct MasterHandle: Sendable {
    let loop: Mailbox<LoopEvent>
    let wakeUps: WakeUps
    package let board: StatusBoard
    let withdrawals: Withdrawals<DeliveryID>
    let searches: Withdrawals<MessageID>
    let announcements = Announcements()
    private let operations = OperationCount()

    package init(loop: Mailbox<LoopEvent>) {
        self.loop = loop
        wakeUps = WakeUps()
        board = StatusBoard(loop: loop)
        withdrawals = Withdrawals { loop.send(.withdraw($0)) }
        searches = Withdrawals { loop.send(.find($0)) }
    }

    /// Notifies the loop, and other hosts, that the store was changed and there may be work. Does not wait.
    package func wakeUp() {
        if wakeUps.add() { loop.send(.wakeUp) }
        announcements.add()
    }

    /// Notifies the loop that this delivery had ended and now continues. Its parts precede the parts that
    /// were found last.
    package func reopened(_ delivery: DeliveryID) {
        loop.send(.released([delivery]))
        wakeUp()
    }

    /// Notifies the loop that this delivery was paused or resumed. Does not wait.
    package func pauseChanged(_ delivery: DeliveryID) {
        loop.send(.pauseChanged(delivery))
        wakeUp()
    }

    /// Notifies the loop that an operator wants this account and its refused topics to be tried again
    /// immediately. Does not wait.
    /// - Parameter order: The number of the order in the store, where other hosts find it; `nil` if the store
    ///   has no such order.
    package func resumeAccount(_ mark: AccountKey, order: Int64?) {
        loop.send(.accountResumed(mark, order: order))
        if order != nil { wakeUp() }
    }

    /// Waits until no child can begin a request for this delivery, which was stopped in the store.
    package func withdraw(_ delivery: DeliveryID) -> WithdrawalAnswer {
        announcements.add()
        return withdrawals.wait(for: delivery)
    }

    /// Waits until the loop reports whether a child may have this message, which was cancelled in the store.
    package func find(_ message: MessageID) -> WithdrawalAnswer { searches.wait(for: message) }

    /// Ends the service. Children may finish their messages. Does not wait.
    /// - Parameter seconds: The maximum time for children to finish their messages; `nil` means the time in
    ///   the settings.
    package func stop(withinSeconds seconds: Int64? = nil) {
        loop.send(seconds.map { .shutDownWithin(seconds: $0) } ?? .shutDown)
    }

    /// Returns the master's current status. Waits for the master's loop for at most
    /// ``StatusBoard/patienceMilliseconds``.
    package func status() -> MasterStatus { complete(board.wait()) }

    /// Records the URLs of this process's web module, for the status.
    package func noteWeb(_ urls: WebURLs?) { board.noteWeb(urls) }

    /// Records that an operation was performed for another process.
    package func noteOperation() { operations.add() }

    private func complete(_ status: MasterStatus) -> MasterStatus {
        var status = status
        status.operations = operations.now
        return status
    }
}

/// Combines the wake-ups that arrive between two looks of the loop into one wake-up.
final class WakeUps: Sendable {
    private let isPending = Atomic(false)

    /// - Returns: Whether the loop must be notified.
    func add() -> Bool { !isPending.exchange(true, ordering: .acquiringAndReleasing) }

    /// Takes the pending wake-up. Called before each look, so that a wake-up during the look causes another
    /// look.
    func take() { isPending.store(false, ordering: .releasing) }
}

private final class OperationCount: Sendable {
    private let count = Atomic(0)
    var now: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
