internal import PushModel
internal import PushOperations
internal import PushSystem
internal import PushWire

/// All that `/metrics` is made from.
struct MetricPage {
    let product: WebSource.Product
    let started: WallTime
    let requests: RequestCounts.Figures
    let connections: Int
    /// nil: in the clear.
    let certificateEnd: WallTime?
    /// nil: nobody serves devices.
    let hits: RecordHit.Counts?
    /// Registrations with undeclared parameters, by app.
    let undeclared: [(app: String, registrations: Int)]
    let master: MasterStatus?
    let store: Lookout<StoreFigures>.Sighting
    let labels: AccountLabels
    let now: MonotonicTime
    let wall: WallTime

    /// Of two, with a thousand accounts: each second class says enough.
    static let everyForAccounts = 2

    var text: MetricText {
        var text = MetricText()
        writeProcess(&text)
        writeWeb(&text)
        writeHits(&text)
        text.write(.undeclared) { samples in
            for (app, registrations) in undeclared { samples.add(registrations, app) }
        }
        writeMaster(&text)
        writeChildren(&text)
        writeAccounts(&text)
        writeQueue(&text)
        writeStore(&text)
        writeHosts(&text)
        writeWebhooks(&text)
        return text
    }

    private func writeProcess(_ text: inout MetricText) {
        text.write(.buildInfo) { $0.add(1, product.version, product.commit, product.schema) }
        text.write(.startTime) { $0.add(Int(started.secondsSince1970)) }
        text.write(.cpu) { $0.add(ProcessFacts.processorSeconds) }
        text.write(.residentMemory) { $0.add(Int(ResidentMemory.kilobytes()) * 1_024) }
        text.write(.openFiles) { if let count = ProcessFacts.openFiles { $0.add(count) } }
    }

    private func writeWeb(_ text: inout MetricText) {
        text.write(.webConnections) { $0.add(connections) }
        text.write(.webCertificateLeft) {
            if let certificateEnd { $0.add(Int(certificateEnd.seconds(since: wall))) }
        }
        text.write(.webRequests) { samples in
            for (key, count) in requests.requests.sorted(by: { $0.key < $1.key }) {
                samples.add(count, key.route, "\(key.status)")
            }
        }
        text.write(.webSeconds) { samples in
            for (route, times) in requests.times.sorted(by: { $0.key < $1.key }) { samples.add(times, route) }
        }
    }

    private func writeHits(_ text: inout MetricText) {
        text.write(.hits) { samples in
            guard let hits else { return }
            samples.add(hits.first, "first")
            samples.add(hits.repeated, "repeated")
            samples.add(hits.unknown, "unknown")
            samples.add(hits.malformed.values.reduce(0, +), "malformed")
            samples.add(hits.refused, "refused")
        }
    }

    private func writeMaster(_ text: inout MetricText) {
        text.write(.masterState) { samples in
            for state in ["starting", "running", "draining", "none"] {
                samples.add((master?.state ?? "none") == state ? 1 : 0, state)
            }
        }
        text.write(.masterUptime) { if let master { $0.add(master.uptimeSeconds) } }
        text.write(.masterSilence) { if let master { $0.add(master.ageSeconds) } }
        text.write(.unrecorded) { if let master { $0.add(master.unrecorded) } }
        text.write(.waitingRanges) { if let master { $0.add(master.waitingRanges) } }
        text.write(.operations) { if let master { $0.add(master.operations) } }
        text.write(.alarms) { samples in
            guard let master else { return }
            for kind in MasterStatus.Alarm.kinds {
                samples.add(master.alarms.count { $0.kind == kind }, kind)
            }
        }
    }
}

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

/// How far receivers of events have come; there are few.
extension MetricPage {
    func writeWebhooks(_ text: inout MetricText) {
        let webhooks = (store.value?.webhooks ?? []).map { ($0.name.printable(atMost: 200), $0) }
        text.write(.webhookBehind) { for (name, hook) in webhooks { $0.add(Int(hook.behind), name) } }
        text.write(.webhookLag) { for (name, hook) in webhooks { $0.add(Int(hook.behindSeconds), name) } }
        text.write(.webhookBatches) { samples in
            for (name, hook) in webhooks {
                samples.add(Int(hook.batchesTaken), name, "taken")
                samples.add(Int(hook.attemptsFailed), name, "failed")
            }
        }
        text.write(.webhookEvents) { samples in
            for (name, hook) in webhooks {
                samples.add(Int(hook.told), name, "told")
                samples.add(Int(hook.dropped), name, "dropped")
            }
        }
        text.write(.webhookDisabled) { for (name, hook) in webhooks { $0.add(hook.enabled ? 0 : 1, name) } }
    }
}
