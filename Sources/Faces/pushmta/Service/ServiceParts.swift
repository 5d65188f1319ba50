internal import PushMaster
package import PushModel
internal import PushSystem
internal import Synchronization

/// A part of the process that works from its start until the service ends. ``ServiceParts`` calls these
/// methods, each at most once and in this order.
package protocol ServicePart: Sendable {
    /// The stages that start the part: it starts when the service reaches the first of them.
    var stages: Set<ServiceStage> { get }
    /// The time, in milliseconds, that the part may take to complete work in progress when the service ends.
    var drainMilliseconds: Int64 { get }
    /// - Throws: An error if the part cannot work. In that case the part has released all its resources.
    func start() throws
    /// Stops accepting work, and completes the work in progress.
    /// - Returns: `false` if something was incomplete at the deadline.
    func drain(until deadline: MonotonicTime) -> Bool
    /// Releases everything that the part still has after ``drain(until:)``.
    func stop()
}

/// The stages that a service reaches before it sends.
package enum ServiceStage: Sendable {
    /// The store is open.
    case opened
    /// Other processes on the machine can send requests.
    case reachable
    /// Another host sends; this host waits to take its place.
    case standingBy
    /// This process may write and send.
    case owning
    /// This process performs the work that one process does for all processes that share the store.
    case leading
}

/// The parts of a service. They start in the order of the list as the service reaches their stages, and end
/// in the opposite order. `ServiceProcess` contains the lists. The master is not a part: the service lives
/// for as long as `MasterService.serve` runs.
package final class ServiceParts: Sendable {
    private let parts: [any ServicePart]
    /// The positions of the parts that have started and have not ended.
    private let running = Mutex<Set<Int>>([])
    private let incomplete: @Sendable (any ServicePart) -> Void

    /// - Parameter incomplete: Called for each part that did not complete its work in time.
    package init(_ parts: [any ServicePart], incomplete: @escaping @Sendable (any ServicePart) -> Void) {
        self.parts = parts
        self.incomplete = incomplete
    }

    /// Starts the parts of the stage that have not started. A stage may be reached more than once.
    /// - Throws: An error if a part cannot work. Parts that were started earlier keep running.
    package func reach(_ stage: ServiceStage) throws {
        for (place, part) in parts.enumerated() where part.stages.contains(stage) {
            guard !running.withLock({ $0.contains(place) }) else { continue }
            try part.start()
            running.withLock { _ = $0.insert(place) }
        }
    }

    /// Ends the parts that have started, the last part first.
    /// - Parameter stage: The stage whose parts are ended; `nil` ends all parts.
    package func end(_ stage: ServiceStage? = nil) {
        for (place, part) in parts.enumerated().reversed() {
            if let stage, !part.stages.contains(stage) { continue }
            guard running.withLock({ $0.remove(place) }) != nil else { continue }
            let deadline = Clocks.monotonic().advanced(byMilliseconds: part.drainMilliseconds)
            if !part.drain(until: deadline) { incomplete(part) }
            part.stop()
        }
    }
}
