import PushModel
import Synchronization
import Testing
import pushmta

@Suite struct ServicePartsTests {
    /// Records the calls that it receives.
    private final class Part: ServicePart {
        struct Refusal: Error {}
        let name: String
        let stages: Set<ServiceStage>
        let drainMilliseconds: Int64 = 1_000
        let refuses: Bool
        let isComplete: Bool
        let events: Events

        init(
            _ name: String, _ stages: Set<ServiceStage>, _ events: Events, refuses: Bool = false,
            isComplete: Bool = true
        ) {
            (self.name, self.stages, self.events) = (name, stages, events)
            (self.refuses, self.isComplete) = (refuses, isComplete)
        }

        func start() throws {
            if refuses { throw Refusal() }
            events.note("start \(name)")
        }

        func drain(until deadline: MonotonicTime) -> Bool {
            events.note("drain \(name)")
            return isComplete
        }

        func stop() { events.note("stop \(name)") }
    }

    private final class Events: Sendable {
        private let all = Mutex<[String]>([])
        func note(_ event: String) { all.withLock { $0.append(event) } }
        func take() -> [String] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    @Test func `parts start no earlier than their first stage, and end in reverse order`() throws {
        let events = Events()
        let parts = ServiceParts(
            [
                Part("log", [.opened], events), Part("local", [.reachable], events),
                Part("web", [.standingBy, .owning], events), Part("webhooks", [.leading], events),
            ]
        ) { _ in events.note("incomplete") }
        try parts.reach(.opened)
        try parts.reach(.reachable)
        #expect(events.take() == ["start log", "start local"])
        try parts.reach(.standingBy)
        try parts.reach(.standingBy)
        try parts.reach(.owning)
        #expect(events.take() == ["start web"])
        parts.end(.reachable)
        #expect(events.take() == ["drain local", "stop local"])
        // A part that never started is not ended, and a part that has ended is not ended a second time.
        parts.end()
        parts.end()
        #expect(events.take() == ["drain web", "stop web", "drain log", "stop log"])
    }

    @Test func `if one part cannot start, the others keep running, and an incomplete part is reported`()
        throws
    {
        let events = Events()
        let parts = ServiceParts(
            [
                Part("devices", [.owning], events, isComplete: false),
                Part("web", [.owning], events, refuses: true), Part("webhooks", [.owning], events),
            ]
        ) { events.note("incomplete \(($0 as? Part)?.name ?? "")") }
        #expect(throws: Part.Refusal.self) { try parts.reach(.owning) }
        parts.end()
        #expect(events.take() == ["start devices", "drain devices", "incomplete devices", "stop devices"])
    }
}
