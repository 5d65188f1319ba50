/// The times at which deliveries arrive, in seconds after the first delivery. Latencies are measured from
/// these times.
///
/// In an open loop the times are fixed in advance. If the engine or this program is busy when a delivery is
/// due, the delivery is late, and its wait is part of its latency. The measurement therefore includes the
/// waits that a slow engine causes (coordinated omission). In a closed loop a delivery is due when a caller
/// is free.
package struct ArrivalPlan: Equatable, Sendable {
    private let loop: ScenarioDocument.Loop
    package let count: Int
    package private(set) var arrived = 0

    package init(_ loop: ScenarioDocument.Loop, count: Int) { (self.loop, self.count) = (loop, count) }

    package var isOver: Bool { arrived == count }

    /// - Parameter underWay: The number of deliveries that have arrived but not ended.
    /// - Returns: The times of the deliveries that are due and have not been returned yet.
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
