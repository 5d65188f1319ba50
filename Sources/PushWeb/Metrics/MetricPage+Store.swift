internal import PushModel
internal import PushOperations
internal import PushWire

/// How the store does.
extension MetricPage {
    func writeStore(_ text: inout MetricText) {
        let writes = master?.figures?.writes
        text.write(.storeCommits) { if let writes { $0.add(writes.commits) } }
        text.write(.storeRows) { if let writes { $0.add(writes.rows) } }
        text.write(.storeFailures) { if let writes { $0.add(writes.failures) } }
        text.write(.storeWriting) { if let writes { $0.add(seconds(since: writes.began)) } }
        text.write(.storeWaiting) { samples in
            for kind in writes?.classes ?? [] { samples.add(kind.waiting, kind.name) }
        }
        text.write(.storeOldest) { samples in
            for kind in writes?.classes ?? [] { samples.add(seconds(since: kind.oldest), kind.name) }
        }
        let size = store.value?.size
        text.write(.storeBytes) { if let size { $0.add(size.bytes) } }
        text.write(.storeFree) { if let free = size?.freeBytes { $0.add(free) } }
        text.write(.storeLog) { if let size { $0.add(size.logBytes) } }
        text.write(.storeMemory) { if let memory = store.value?.memoryBytes { $0.add(memory) } }
        text.write(.diskFree) { if let free = store.value?.diskFreeBytes { $0.add(free) } }
        text.write(.storeLookAge) { if store.value != nil { $0.add(store.ageSeconds) } }
        text.write(.storeLookFailed) { $0.add(store.trouble == nil ? 0 : 1) }
    }

    /// Nothing where the store is one host's by its nature.
    func writeHosts(_ text: inout MetricText) {
        let hosts = store.value?.hosts ?? []
        text.write(.hostCount) { samples in
            guard !hosts.isEmpty else { return }
            for state in ["leading", "sending", "draining", "drained", "standby", "gone", "lost"] {
                samples.add(hosts.count { $0.state == state }, state)
            }
        }
        text.write(.hostParts) { if let own = hosts.first(where: \.isThis) { $0.add(own.parts) } }
        text.write(.hostLeaseAge) { if let age = master?.leaseAgeSeconds { $0.add(age) } }
        text.write(.takeOvers) { if let count = hosts.map(\.generation).max() { $0.add(Int(count)) } }
    }

    private func seconds(since moment: MonotonicTime?) -> Double {
        moment.map { Double(max(now.milliseconds(since: $0), 0)) / 1_000 } ?? 0
    }
}
