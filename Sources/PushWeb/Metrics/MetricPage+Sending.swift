internal import PushModel
internal import PushOperations
internal import PushWire

/// What is sent, and by whom.
extension MetricPage {
    func writeChildren(_ text: inout MetricText) {
        text.write(.childCount) { samples in
            guard let master else { return }
            for state in ["working", "draining", "lost"] {
                samples.add(master.children.count { $0.state == state }, state)
            }
        }
        func sum(_ metric: Metric, _ figure: (MasterStatus.Child) -> Int) {
            text.write(metric) { samples in
                if let master { samples.add(master.children.reduce(0) { $0 + figure($1) }) }
            }
        }
        sum(.childMemory) { $0.residentKilobytes * 1_024 }
        text.write(.childCapacity) { if let figures = master?.figures { $0.add(figures.capacity) } }
        sum(.childOutstanding) { $0.outstanding }
        sum(.childWaiting) { $0.waiting }
        sum(.childInFlight) { $0.inFlight }
        sum(.childConnections) { $0.connections }
        text.write(.childrenStarted) { if let figures = master?.figures { $0.add(figures.childrenStarted) } }
        text.write(.childrenEnded) { samples in
            guard let figures = master?.figures else { return }
            for how in ["orderly", "crashed", "killed", "not_started"] {
                samples.add(figures.childrenEnded[how] ?? 0, how)
            }
        }
    }

    func writeAccounts(_ text: inout MetricText) {
        let accounts = master?.accounts ?? []
        text.write(.accountState) { samples in
            var counts: [[String]: Int] = [:]
            for account in accounts {
                counts[[labels.label(of: account.name), account.state], default: 0] += 1
            }
            for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                samples.add(count, key[0], key[1])
            }
        }
        func sum(_ metric: Metric, _ figure: (AccountStatus) -> Int?) {
            text.write(metric) { samples in
                let figures = accounts.compactMap { account in figure(account).map { (account.name, $0) } }
                for (label, value) in labels.sums(figures) { samples.add(value, label) }
            }
        }
        sum(.accountOutstanding) { $0.outstanding }
        sum(.accountInFlight) { $0.inFlight }
        sum(.accountWindow) { $0.window }
        sum(.accountConnections) { $0.connections }
        sum(.accountRate) { $0.ratePerSecond }
        writeCounted(&text, master?.figures ?? MasterFigures())
    }

    /// The master bounds these, by the same number.
    private func writeCounted(_ text: inout MetricText, _ figures: MasterFigures) {
        let accounts = figures.accounts.map { ($0.name.printable(atMost: 200), $0) }
        text.write(.answers) { samples in
            for (label, account) in accounts {
                for (answer, count) in zip(MasterFigures.Answer.allCases, account.answers) {
                    samples.add(count, label, answer.rawValue)
                }
            }
        }
        text.write(.answerReasons) { samples in
            let reasons = figures.reasons.sorted {
                ($0.key.answer.rawValue, $0.key.word) < ($1.key.answer.rawValue, $1.key.word)
            }
            for (reason, count) in reasons { samples.add(count, reason.answer.rawValue, reason.word) }
        }
        text.write(.commitToGateway) { samples in
            for (label, account) in accounts where !account.waits.isEmpty {
                samples.add(account.waits, every: Self.everyForAccounts, label)
            }
        }
        text.write(.gatewayAnswer) { samples in
            for (label, account) in accounts where !account.gateway.isEmpty {
                samples.add(account.gateway, every: Self.everyForAccounts, label)
            }
        }
        text.write(.answerToCommit) { if master?.figures != nil { $0.add(figures.recorded) } }
    }

    func writeQueue(_ text: inout MetricText) {
        let figures = store.value
        let queues = figures?.queues ?? []
        text.write(.queueMessages) { samples in
            for (label, count) in labels.sums(queues.map { ($0.account, $0.pending) }) {
                samples.add(count, label, "pending")
            }
            for (label, count) in labels.sums(queues.map { ($0.account, $0.retrying) }) {
                samples.add(count, label, "retrying")
            }
            for (label, count) in labels.sums(queues.map { ($0.account, $0.paused) }) {
                samples.add(count, label, "paused")
            }
        }
        text.write(.queueOldest) { samples in
            for (state, age) in [
                ("pending", \StoreFigures.Queue.oldestSeconds), ("retrying", \.overdueSeconds),
            ] {
                var oldest: [String: Int] = [:]
                for queue in queues {
                    let label = labels.label(of: queue.account)
                    oldest[label] = max(oldest[label] ?? 0, queue[keyPath: age])
                }
                for (label, seconds) in oldest.sorted(by: { $0.key < $1.key }) {
                    samples.add(seconds, label, state)
                }
            }
        }
        text.write(.deliveries) { samples in
            guard let figures else { return }
            for (state, count) in figures.deliveries.sorted(by: { $0.key < $1.key }) {
                samples.add(count, state)
            }
        }
        text.write(.deliveriesHeld) { if let figures { $0.add(figures.held) } }
        text.write(.credentialLeft) { samples in
            // Of several of one name the first to end.
            var ends: [String: Int64] = [:]
            for (account, end) in figures?.credentialEnds ?? [:] {
                let label = labels.label(of: account)
                ends[label] = min(ends[label] ?? .max, end.seconds(since: wall))
            }
            for (label, left) in ends.sorted(by: { $0.key < $1.key }) { samples.add(Int(left), label) }
        }
    }
}
