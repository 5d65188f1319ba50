/// When deliveries arrive, seconds after the first one: the schedule that latencies are counted from.
///
/// In an open loop moments are fixed beforehand. Where the engine, or this program, was busy when one was
/// due, it is late, and its wait is part of its latency: what a slow engine makes wait is not left out of
/// what is measured (coordinated omission). In a closed loop one is due when a caller is free.
package struct ArrivalPlan: Equatable, Sendable {
    private let loop: ScenarioDocument.Loop
    package let count: Int
    package private(set) var arrived = 0

    package init(_ loop: ScenarioDocument.Loop, count: Int) { (self.loop, self.count) = (loop, count) }

    package var isOver: Bool { arrived == count }

    /// - Parameter underWay: deliveries that arrived and have not ended.
    /// - Returns: the moments of those that are due now and were not returned yet.
    package mutating func take(at now: Double, underWay: Int) -> [Double] {
        let due: [Double] =
            switch loop {
            case .closed(let callers):
                Array(repeating: now, count: min(max(callers - underWay, 0), count - arrived))
            case .open(let perSecond):
                (arrived..<min(count, max(arrived, Int(now * perSecond + 1)))).map { Double($0) / perSecond }
            }
        arrived += due.count
        return due
    }
}
