package import PushModel

/// Messages of a part that wait for a grant.
package struct WaitingRange: Equatable, Sendable {
    package let part: PartID
    package let delivery: DeliveryID
    package let app: AppID
    package let priority: DeliveryPriority
    package var messages: ClosedRange<MessageID>
    package var losses: Losses
    /// The topic that the range waited for and that the range's message probes.
    var asksAbout: String?

    package init(
        part: PartID, delivery: DeliveryID, app: AppID, priority: DeliveryPriority,
        messages: ClosedRange<MessageID>,
        losses: Losses = Losses()
    ) {
        self.part = part
        self.delivery = delivery
        self.app = app
        self.priority = priority
        self.messages = messages
        self.losses = losses
    }

    package var count: Int { Int(messages.upperBound.rawValue - messages.lowerBound.rawValue) + 1 }
}

/// The waiting ranges of one account and the order in which they are granted. Higher priorities come first.
/// The deliveries of one priority take turns of a few hundred messages, however small their ranges. Within a
/// delivery, the order of arrival applies. A suspect waits until the ranges that were already waiting when
/// the suspect was added have been taken.
///
/// **Promises.** A range is returned once, whole or cut into pieces from its front. The cost of taking a
/// range does not depend on the number of waiting ranges.
package struct WaitingRanges: Sendable {
    /// The ranges of one priority.
    private struct Lane: Sendable {
        var turns = RoundRobin<DeliveryID>(quantum: 1)
        var ranges: [DeliveryID: FIFOQueue<WaitingRange>] = [:]
        /// The delivery whose turn it is, and the number of messages taken in this turn.
        private var present: (delivery: DeliveryID, messages: Int)?

        var next: WaitingRange? { turns.first.flatMap { ranges[$0]?.first } }

        /// Passes the turn on if the delivery has used it up.
        mutating func took(_ messages: Int, of delivery: DeliveryID, turn: Int) {
            let before = present.map { $0.delivery == delivery ? $0.messages : 0 } ?? 0
            guard before + messages >= turn else { return present = (delivery, before + messages) }
            present = nil
            _ = turns.take()
        }
    }
    private struct Suspect: Sendable {
        let range: WaitingRange
        /// The value of `taken` from which the suspect may have its turn.
        let turn: Int
    }

    /// The number of messages after which a turn ends. A delivery with many small ranges, for example single
    /// messages, is granted as much as one with large ranges.
    package static let messagesInATurn = 250

    /// The ranges of each priority, indexed by rank.
    private var lanes = [Lane](repeating: Lane(), count: DeliveryPriority.allCases.count)
    private var suspects = FIFOQueue<Suspect>()
    /// Deliveries that skip their turns. Their ranges continue to wait.
    private var resting: Set<DeliveryID> = []
    /// Ranges on hold, keyed by the topic for which they wait. They have no turn before ``resume(topic:)``.
    private var held: [String: FIFOQueue<WaitingRange>] = [:]
    /// The number of ranges that wait for a topic.
    package private(set) var heldCount = 0
    /// The number of ranges that are not suspects and were taken completely.
    private var taken = 0
    package private(set) var count = 0
    /// The number of ranges above normal priority, not counting suspects.
    package private(set) var urgentCount = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }
    /// Whether an urgent range may be taken now.
    package var hasUrgent: Bool {
        urgentCount > 0
            && lanes[(DeliveryPriority.normal.rank + 1)...].contains { !$0.turns.isEmpty }
    }
    private var soundCount: Int { count - suspects.count - heldCount }

    /// The range whose turn it is; `nil` if only resting ranges wait.
    package var next: WaitingRange? {
        if let suspect = suspectInTurn { return suspect.range }
        // Accessed in place: a copy of a lane would retain its queues.
        for rank in lanes.indices.reversed() where !lanes[rank].turns.isEmpty { return lanes[rank].next }
        return nil
    }

    private var suspectInTurn: Suspect? {
        guard !suspects.isEmpty, !hasUrgent else { return nil }
        let first =
            resting.isEmpty ? suspects.first : suspects.all.first { !resting.contains($0.range.delivery) }
        guard let first else { return nil }
        let isNothingElse = lanes.allSatisfy(\.turns.isEmpty)
        return isNothingElse || first.turn <= taken ? first : nil
    }

    // MARK: Rest

    /// Skips the delivery's turns until ``resume(_:)``. Ranges added meanwhile wait with the others.
    package mutating func rest(_ delivery: DeliveryID) {
        guard resting.insert(delivery).inserted else { return }
        for rank in lanes.indices { lanes[rank].turns.leave(delivery) }
    }

    package mutating func resume(_ delivery: DeliveryID) {
        guard resting.remove(delivery) != nil else { return }
        for rank in lanes.indices where lanes[rank].ranges[delivery] != nil {
            lanes[rank].turns.join(delivery)
        }
    }

    // MARK: Topics

    package func heldCount(of topic: String) -> Int { held[topic]?.count ?? 0 }

    /// Puts the range on hold until its topic is released.
    package mutating func hold(_ range: WaitingRange, topic: String) {
        held[topic, default: FIFOQueue()].append(range)
        count += 1
        heldCount += 1
    }

    /// Lets one of the messages that wait for the topic take its turn.
    /// - Returns: The message's part, and whether the rest of the message's range still waits; `nil` if no
    ///   message waits.
    package mutating func probe(topic: String) -> (part: PartID, isCut: Bool)? {
        guard var range = held[topic]?.popFirst() else { return nil }
        let first = range.messages.lowerBound
        let isCut = range.count > 1
        if isCut {
            var rest = range
            rest.messages = MessageID(rawValue: first.rawValue + 1)...range.messages.upperBound
            held[topic]?.append(rest)
            range.messages = first...first
        } else {
            count -= 1
            heldCount -= 1
            if held[topic]?.isEmpty == true { held[topic] = nil }
        }
        range.asksAbout = topic
        add(range, isLast: false)
        return (range.part, isCut)
    }

    /// Lets all ranges that wait for the topic take turns again.
    package mutating func resume(topic: String) {
        guard let ranges = held.removeValue(forKey: topic)?.all else { return }
        count -= ranges.count
        heldCount -= ranges.count
        for range in ranges { add(range) }
    }

    private mutating func removeHeld(
        _ removed: inout [WaitingRange], where isOut: (WaitingRange) -> Bool
    ) {
        guard heldCount > 0 else { return }
        for topic in held.keys.sorted() {
            let out = held[topic]?.all.filter(isOut) ?? []
            guard !out.isEmpty else { continue }
            held[topic]?.removeAll(where: isOut)
            if held[topic]?.isEmpty == true { held[topic] = nil }
            heldCount -= out.count
            count -= out.count
            removed += out
        }
    }

    // MARK: Change

    /// - Parameter isLast: Whether the range is added behind all waiting ranges of its delivery, because it
    ///   has had its turn. Otherwise it is added before them.
    package mutating func add(_ range: WaitingRange, isLast: Bool = true) {
        let turn = taken + soundCount
        count += 1
        if range.losses.isSuspect { return suspects.append(Suspect(range: range, turn: turn)) }
        if range.priority.isUrgent { urgentCount += 1 }
        let rank = range.priority.rank
        if isLast {
            lanes[rank].ranges[range.delivery, default: FIFOQueue()].append(range)
        } else {
            lanes[rank].ranges[range.delivery, default: FIFOQueue()].prepend(range)
        }
        if !resting.contains(range.delivery) { lanes[rank].turns.join(range.delivery) }
    }

    /// Cuts the given number of messages off the front of ``next``, and passes the turn on if the delivery
    /// has used it up.
    /// - Parameter turn: The number of messages after which the turn is used up.
    /// - Returns: The range that was cut off; `nil` if nothing waits.
    package mutating func take(_ wanted: Int, turn: Int = Self.messagesInATurn) -> WaitingRange? {
        guard var range = next else { return nil }
        let isWhole = wanted >= range.count
        var rest = range
        if !isWhole {
            let last = MessageID(rawValue: range.messages.lowerBound.rawValue + Int64(max(wanted, 1)) - 1)
            rest.messages = MessageID(rawValue: last.rawValue + 1)...range.messages.upperBound
            range.messages = range.messages.lowerBound...last
        }
        if isWhole { count -= 1 }
        if range.losses.isSuspect {
            let suspect = takeSuspect()
            if !isWhole { suspects.prepend(Suspect(range: rest, turn: suspect?.turn ?? taken)) }
            return range
        }
        let rank = range.priority.rank
        if isWhole {
            taken += 1
            if range.priority.isUrgent { urgentCount -= 1 }
            _ = lanes[rank].ranges[range.delivery]?.popFirst()
        } else {
            lanes[rank].ranges[range.delivery]?.replaceFirst(by: rest)
        }
        lanes[rank].took(range.count, of: range.delivery, turn: turn)
        if lanes[rank].ranges[range.delivery]?.isEmpty == true { forget(range.delivery, rank) }
        return range
    }

    private mutating func takeSuspect() -> Suspect? {
        guard !resting.isEmpty, let wanted = suspectInTurn else { return suspects.popFirst() }
        var hasBeenTaken = false
        suspects.removeAll { suspect in
            guard !hasBeenTaken, suspect.range == wanted.range else { return false }
            hasBeenTaken = true
            return true
        }
        return wanted
    }

    /// - Returns: The waiting ranges of the delivery.
    package mutating func removeAll(of delivery: DeliveryID) -> [WaitingRange] {
        resting.remove(delivery)
        var removed: [WaitingRange] = []
        for rank in lanes.indices {
            guard let ranges = lanes[rank].ranges[delivery] else { continue }
            removed += ranges.all
            forget(delivery, rank)
        }
        removeSuspects(&removed) { $0.delivery == delivery }
        noteRemoved(removed)
        removeHeld(&removed) { $0.delivery == delivery }
        return removed
    }

    /// - Returns: The waiting ranges of the app.
    package mutating func removeAll(of app: AppID) -> [WaitingRange] {
        var removed: [WaitingRange] = []
        for rank in lanes.indices {
            for delivery in lanes[rank].ranges.keys.sorted() {
                removed += remove(of: delivery, rank) { $0.app == app }
            }
        }
        removeSuspects(&removed) { $0.app == app }
        noteRemoved(removed)
        removeHeld(&removed) { $0.app == app }
        return removed
    }

    package mutating func removeAll(of part: PartID, in delivery: DeliveryID) {
        var removed = lanes.indices.flatMap { rank in remove(of: delivery, rank) { $0.part == part } }
        removeSuspects(&removed) { $0.part == part }
        noteRemoved(removed)
        removeHeld(&removed) { $0.part == part }
    }

    private mutating func remove(
        of delivery: DeliveryID, _ rank: Int, where isOut: (WaitingRange) -> Bool
    ) -> [WaitingRange] {
        guard let ranges = lanes[rank].ranges[delivery] else { return [] }
        let out = ranges.all.filter(isOut)
        guard !out.isEmpty else { return [] }
        lanes[rank].ranges[delivery]?.removeAll(where: isOut)
        if out.count == ranges.count { forget(delivery, rank) }
        return out
    }

    private mutating func removeSuspects(_ removed: inout [WaitingRange], where isOut: (WaitingRange) -> Bool)
    {
        guard !suspects.isEmpty else { return }
        removed += suspects.all.map(\.range).filter(isOut)
        suspects.removeAll { isOut($0.range) }
    }

    private mutating func noteRemoved(_ removed: [WaitingRange]) {
        count -= removed.count
        let sound = removed.filter { !$0.losses.isSuspect }
        urgentCount -= sound.count { $0.priority.isUrgent }
        taken += sound.count
    }

    private mutating func forget(_ delivery: DeliveryID, _ rank: Int) {
        lanes[rank].ranges[delivery] = nil
        lanes[rank].turns.leave(delivery)
    }
}
