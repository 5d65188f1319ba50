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
