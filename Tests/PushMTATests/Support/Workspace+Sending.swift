import Foundation
import PushModel
import PushStore

/// Performs a master's work by hand.
extension Workspace {
    static var now: WallMoment {
        WallMoment(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    /// Prepares a delivery and gives each of its messages the state that `change` returns for its index, from
    /// 0.
    func settle(
        _ delivery: DeliveryID, at now: WallMoment = Workspace.now,
        change: (Int) -> MessageRecord.Change = { _ in .sent(providerID: nil) }
    ) throws {
        let store = try openStore()
        var place = 0
        while true {
            let step = try store.preparation.prepareChunk(of: delivery, at: now)
            if let part = step.part {
                var batch = OutcomeBatch(delivery: delivery)
                for message in part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue {
                    let id = MessageID(rawValue: message)
                    batch.others.append(
                        MessageRecord(message: id, change: change(place), countsAttempt: true))
                    place += 1
                }
                _ = try store.outcomes.record([batch], at: now)
            }
            if step.isComplete { return }
        }
    }
}
