import Glibc
import pushload

/// Repeated `kill -9` in mid-delivery, to test the promise that no accepted message is lost.
///
/// **Promises.** Every kill happens while the delivery is in progress, because the gateway is paused. The
/// caller judges the consequences from the ``Report``.
struct KillScenario: Sendable {
    enum Victim: String, Sendable { case child, master }

    var messages: Int
    var victims: [Victim]
    /// Whether to send to FCM instead of APNs. The testbed must have that gateway.
    var isAndroid = false
    /// Whether to wait for a new child after one was killed. A new child is spawned only if work for several
    /// seconds is left.
    var awaitsSpawns = false

    init(messages: Int, victims: [Victim]) {
        self.messages = messages
        self.victims = victims
    }

    /// Returns settings for this scenario: two children with little capacity each, and a slow gateway, so
    /// that a kill can hit the delivery in its middle with both children involved.
    /// - Parameter stopsAfter: The gateway's setting. ``run(in:)`` needs one value for each victim, before
    ///   the last messages.
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
        /// The maximum number of messages that the killed children had, which limits the number of
        /// duplicates.
        var bound = 0
        /// The number of messages that the engine itself reported as unrecorded, at the last query before
        /// each kill.
        var unrecorded = 0
        /// The number of children that were started after another child was killed, while work remained.
        var spawns = 0
        /// The maximum time for which children continued after their master had ended.
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

    /// Kills the busier of two working children, and waits until another one is spawned.
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
    /// Runs the body in the middle of a delivery, however slow the machine is: after the gateway has paused
    /// at one of ``TestbedSettings/Gateway/stopsAfter``. The gateway continues afterwards.
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
