import Glibc
import pushload

/// `kill -9` in mid-delivery, as often as wanted: the promise that nothing accepted is lost, put to the test.
///
/// **Promises.** Every kill happens while the delivery is under way, because the gateway stands still; whether
/// what follows is as it must be is for the caller to judge by the ``Report``.
struct KillScenario: Sendable {
    enum Victim: String, Sendable { case child, master }

    var messages: Int
    var victims: [Victim]
    /// To FCM instead of APNs; the testbed must have that gateway.
    var isAndroid = false
    /// Whether to wait for another child after a kill of one. There is one only where work for seconds is
    /// left.
    var awaitsSpawns = false

    init(messages: Int, victims: [Victim]) {
        self.messages = messages
        self.victims = victims
    }

    /// A testbed for it: two children with little capacity each and a gateway that takes its time, so that
    /// there is a middle of the delivery and both children are in it.
    /// - Parameter stopsAfter: as the gateway's; ``run(in:)`` wants one for each victim, before the last
    ///   messages.
    static func settings(
        capacity: Int = 1_000, delayMilliseconds: Int = 100, stopsAfter: [Int] = []
    ) -> TestbedSettings {
        var settings = TestbedSettings()
        settings.children = 2
        settings.childrenAtStart = 2
        settings.capacity = capacity
        settings.gateway.delayMilliseconds = delayMilliseconds
        settings.gateway.stopsAfter = stopsAfter
        return settings
    }

    struct Report: Sendable {
        var audit = DeliveryAudit()
        /// Messages that were in the victims' hands at most: the bound on duplicates by their capacity.
        var bound = 0
        /// What the engine itself called unrecorded, last asked before each kill.
        var unrecorded = 0
        /// Children that were spawned after a kill of one of theirs, while there was work.
        var spawns = 0
        /// How long children lived on after their master at most.
        var longestOrphan: Duration = .zero
    }

    func run(in testbed: Testbed) async throws -> Report {
        let app = try await testbed.createOnlyApp(for: isAndroid ? .android : .ios)
        try await testbed.startEngine()
        try await testbed.importSubscribers(.init(messages, isAndroid: isAndroid), into: app)
        let delivery = try await testbed.submit(DeliveryText(apps: [app]))
        var report = Report()
        for victim in victims {
            try await testbed.amidDelivery {
                switch victim {
                case .child: try await killChild(of: testbed, &report)
                case .master: try await killMaster(of: testbed, &report)
                }
            }
        }
        try await testbed.settle(delivery, within: .seconds(120 + messages / 500))
        try await testbed.stopEngine()
        report.audit = try await testbed.audit(of: delivery)
        return report
    }

    /// Kills the busier of two children that both work, and sees another one spawned.
    private func killChild(of testbed: Testbed, _ report: inout Report) async throws {
        let wanted = testbed.settings.children
        var last = ""
        let master = try await testbed.master("\(wanted) children at work", seen: { last }) { master in
            last = "\(master.children.map { "\($0.state) \($0.outstanding)" })"
            return master.children.count { $0.outstanding > 0 } >= wanted ? master : nil
        }
        guard let victim = master.children.max(by: { $0.outstanding < $1.outstanding }) else { return }
        testbed.kill(child: victim.pid)
        report.bound += testbed.settings.capacity
        report.unrecorded += victim.outstanding
        guard awaitsSpawns else { return }
        let newest = master.children.map(\.generation).max() ?? 0
        try await testbed.master("another child") { $0.children.first { $0.generation > newest } }
        report.spawns += 1
    }

    private func killMaster(of testbed: Testbed, _ report: inout Report) async throws {
        let unrecorded = try await testbed.status().master?.unrecorded ?? 0
        let orphan = try await testbed.killMaster()
        report.bound += testbed.settings.capacity * testbed.settings.children
        report.unrecorded += unrecorded
        report.longestOrphan = max(report.longestOrphan, orphan)
        try await testbed.startEngine()
    }
}

extension Testbed {
    /// Does something amid a delivery, on however slow a machine: when the gateway has stopped after one of
    /// ``TestbedSettings/Gateway/stopsAfter``. It goes on afterwards.
    @discardableResult
    func amidDelivery<Value>(_ body: () async throws -> Value = {}) async throws -> Value {
        guard let process = sink else { throw LoadError("there is no gateway to stop") }
        try await Waiting.until("the gateway to stop amid the delivery") {
            try process.requireRunning()
            if let engine, engine.ending == nil { try engine.requireRunning() }
            return ProcessTable.isStopped(process.processID) ? () : nil
        }
        defer { process.signal(SIGCONT) }
        return try await body()
    }
}
