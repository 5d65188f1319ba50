package import PushModel
package import PushWire
internal import Synchronization

/// The master as the other services of its process see it: what may be asked of it, from any thread.
///
/// A new verb is a case of ``LoopEvent`` and a function here.
package struct MasterHandle: Sendable {
    let loop: Mailbox<LoopEvent>
    let nudges: Nudges
    package let board: StatusBoard
    let withdrawals: Withdrawals<DeliveryID>
    let searches: Withdrawals<MessageID>
    let announcements = Announcements()
    private let operations = OperationCount()

    package init(loop: Mailbox<LoopEvent>) {
        self.loop = loop
        nudges = Nudges()
        board = StatusBoard(loop: loop)
        withdrawals = Withdrawals { loop.send(.withdraw($0)) }
        searches = Withdrawals { loop.send(.find($0)) }
    }

    /// Somebody changed the store: look for work, and other hosts may. Does not wait.
    package func nudge() {
        if nudges.add() { loop.send(.nudge) }
        announcements.add()
    }

    /// This delivery had ended and goes on: its parts lie before those that were found last.
    package func reopened(_ delivery: DeliveryID) {
        loop.send(.released([delivery]))
        nudge()
    }

    /// This delivery was paused, or goes on: it is looked at. Does not wait.
    package func pauseChanged(_ delivery: DeliveryID) {
        loop.send(.pauseChanged(delivery))
        nudge()
    }

    /// An operator ends the wait of this account and of its refused topics. Does not wait.
    /// - Parameter order: the number under which the store has it for other hosts; nil: it has not.
    package func resumeAccount(_ mark: AccountKey, order: Int64?) {
        loop.send(.accountResumed(mark, order: order))
        if order != nil { nudge() }
    }

    /// This delivery was stopped in the store: waits until no child can begin a request of it.
    package func withdraw(_ delivery: DeliveryID) -> WithdrawalAnswer {
        announcements.add()
        return withdrawals.wait(for: delivery)
    }

    /// This message was cancelled in the store: waits to know whether a child may have it.
    package func find(_ message: MessageID) -> WithdrawalAnswer { searches.wait(for: message) }

    /// Ends the service: what children have may be finished. Does not wait.
    /// - Parameter seconds: how long children may take for what they have, at most; nil: as the settings say.
    package func stop(withinSeconds seconds: Int64? = nil) {
        loop.send(seconds.map { .shutDownWithin(seconds: $0) } ?? .shutDown)
    }

    /// What the master is busy with. Waits for its loop, ``StatusBoard/patienceMilliseconds`` at most.
    package func status() -> MasterStatus { complete(board.wait()) }

    /// Where this process's web module listens, for whoever asks for its status.
    package func noteWeb(_ address: String?) { board.noteWeb(address) }

    /// An operation was performed for another process.
    package func noteOperation() { operations.add() }

    private func complete(_ status: MasterStatus) -> MasterStatus {
        var status = status
        status.operations = operations.now
        return status
    }
}

/// Nudges between two looks of the loop are one.
final class Nudges: Sendable {
    private let isPending = Atomic(false)

    /// - Returns: whether the loop is to be told.
    func add() -> Bool { !isPending.exchange(true, ordering: .acquiringAndReleasing) }

    /// Before the look: what comes during it is a new one.
    func take() { isPending.store(false, ordering: .releasing) }
}

private final class OperationCount: Sendable {
    private let count = Atomic(0)
    var now: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
