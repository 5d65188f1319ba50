internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

/// All input to `/metrics`.
struct MetricPage {
    let product: WebSource.Product
    let started: WallTime
    let requests: RequestCounts.Figures
    let connections: Int
    /// The time at which the certificate expires; `nil` without TLS.
    let certificateEnd: WallTime?
    /// The counts of hits; `nil` if no component serves devices.
    let hits: RecordHit.Counts?
    /// The number of registrations with undeclared parameters, by app.
    let undeclared: [(app: String, registrations: Int)]
    let master: MasterStatus?
    /// The account figures that several metrics use: see ``counted(by:)``.
    let countedAccounts: [(label: String, figures: MasterFigures.Account)]
    let store: CachedProbe<StoreFigures>.ProbeResult
    let labels: AccountLabels
    let now: MonotonicTime
    let wall: WallTime

    var text: MetricText {
        var text = MetricText()
        for metric in Metric.all { text.write(metric) { metric.add(self, &$0) } }
        return text
    }

    // MARK: Figures that several metrics use

    /// Returns the sum of a figure over all children; `nil` if there is no master.
    func ofChildren(_ figure: (MasterStatus.Child) -> Int) -> Int? {
        master?.children.reduce(0) { $0 + figure($1) }
    }

    func addByAccount(_ figure: (AccountStatus) -> Int?, to samples: inout MetricText.Samples) {
        let figures = (master?.accounts ?? []).compactMap { account in
            figure(account).map { (account.name, $0) }
        }
        for (label, value) in labels.sums(figures) { samples.add(value, label) }
    }

    /// Returns the figures that a master has counted, by account label. The master counts at most as many
    /// accounts as ``labels`` can distinguish.
    static func counted(by master: MasterStatus?) -> [(label: String, figures: MasterFigures.Account)] {
        (master?.figures?.accounts ?? []).map { ($0.name.printable(atMost: 200), $0) }
    }

    var writes: WriteFigures? { master?.figures?.writes }
    var hosts: [HostView] { store.value?.hosts ?? [] }

    var webhooks: [(name: String, WebhookView)] {
        (store.value?.webhooks ?? []).map { ($0.name.printable(atMost: 200), $0) }
    }

    /// Returns the seconds since the given moment; 0 if the moment is `nil`.
    func seconds(since moment: MonotonicTime?) -> Double {
        moment.map { Double(max(now.milliseconds(since: $0), 0)) / 1_000 } ?? 0
    }
}
