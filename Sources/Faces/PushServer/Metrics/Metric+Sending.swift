internal import PushAPI
internal import PushModel
internal import PushWire

/// Metrics of sent messages and waiting messages.
extension Metric {
    /// With a thousand accounts, every second latency class is sufficient.
    private static let everyForAccounts = 2

    static let accounts: [Metric] = [
        Metric(
            "account_state", .gauge, ["account", "state"],
            "Accounts by name that are in this state of their breaker: working, waiting, probing, "
                + "stopped; stalled: "
                + "working, and nothing came of it for a minute.",
            "stopped waits for a person, stalled has its cause in `pushmta status`.",
            samples: { page, samples in
                var counts: [[String]: Int] = [:]
                for account in page.master?.accounts ?? [] {
                    counts[[page.labels.label(of: account.name), account.state], default: 0] += 1
                }
                for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                    samples.add(count, key[0], key[1])
                }
            }),
        Metric(
            "account_outstanding_messages", .gauge, ["account"],
            "The account's messages that are with children and not yet committed (granted).", "–",
            samples: { $0.addByAccount(\.outstanding, to: &$1) }),
        Metric(
            "account_in_flight_messages", .gauge, ["account"],
            "Of these, handed to the gateway and not yet answered.",
            "At the window: the gateway is the limit.", samples: { $0.addByAccount(\.inFlight, to: &$1) }),
        Metric(
            "account_window_messages", .gauge, ["account"],
            "Messages that may be in flight at present: what gateway and back-off leave of the settings.",
            "One that fell is a gateway that is slow or asks to slow down.",
            samples: { $0.addByAccount(\.window, to: &$1) }),
        Metric(
            "account_connections", .gauge, ["account"], "Open connections to the account's gateway.", "–",
            samples: { $0.addByAccount(\.connections, to: &$1) }),
        Metric(
            "account_rate_limit_messages", .gauge, ["account"],
            "Messages a second that the account's quota allows now; left out without a quota.",
            "Compare with the rate of answers_total.", samples: { $0.addByAccount(\.ratePerSecond, to: &$1) }),
        Metric(
            "answers_total", .counter, ["account", "outcome"],
            "What became of messages that children had: accepted, rejected, undecided, never_sent, "
                + "too_large, missing_parameter. A message "
                + "that is tried again counts again.",
            "The rate of accepted is the sending rate; a share of rejected that jumps is a wrong "
                + "credential or old tokens.",
            samples: { page, samples in
                for (label, account) in page.countedAccounts {
                    for (answer, count) in zip(MasterFigures.Answer.allCases, account.answers) {
                        samples.add(count, label, answer.rawValue)
                    }
                }
            }),
        Metric(
            "answer_reasons_total", .counter, ["outcome", "reason"],
            "The same by the gateway's word, or ours in parentheses, accepted ones left out; 200 words, "
                + "then `other`.",
            "See the gateway's documentation, and the Outcomes page.",
            samples: { page, samples in
                let reasons = (page.master?.figures?.reasons ?? [:]).sorted {
                    ($0.key.answer.rawValue, $0.key.word) < ($1.key.answer.rawValue, $1.key.word)
                }
                for (reason, count) in reasons { samples.add(count, reason.answer.rawValue, reason.word) }
            }),
        Metric(
            "commit_to_gateway_seconds", .histogram, ["account"],
            "From the commit of a message's part to its first hand-over to the gateway; what an earlier "
                + "master left "
                + "counts from when it was found.",
            "Long with free credit is a quota or a breaker, long without is the gateway.",
            samples: { page, samples in
                for (label, account) in page.countedAccounts where !account.waits.isEmpty {
                    samples.add(account.waits, every: everyForAccounts, label)
                }
            }),
        Metric(
            "gateway_answer_seconds", .histogram, ["account"],
            "From a message's hand-over to its gateway's answer; the binary gateway answers no single message.",
            "A gateway that became slow.",
            samples: { page, samples in
                for (label, account) in page.countedAccounts where !account.gateway.isEmpty {
                    samples.add(account.gateway, every: everyForAccounts, label)
                }
            }),
        Metric(
            "answer_to_commit_seconds", .histogram, [],
            "From the gateway's answer to the commit of what it means: each report of a child counts as "
                + "its oldest answer.",
            "Long: the store is slow, see store_commit_seconds.",
            samples: { page, samples in
                if let figures = page.master?.figures { samples.add(figures.recorded) }
            }),
    ]

    static let queue: [Metric] = [
        Metric(
            "queue_messages", .gauge, ["account", "state"],
            "Messages in the store that wait for their account: pending (never tried) and retrying, "
                + "those with children "
                + "included; paused: of paused deliveries, or to go at a later time of their own, in neither of the others.",
            "Growing while answers_total stands still: see account_state.",
            samples: { page, samples in
                let states: [(String, (StoreFigures.Queue) -> Int)] = [
                    ("pending", \.pending), ("retrying", \.retrying), ("paused", \.paused),
                ]
                let queues = page.store.value?.queues ?? []
                for (state, count) in states {
                    for (label, count) in page.labels.sums(queues.map { ($0.account, count($0)) }) {
                        samples.add(count, label, state)
                    }
                }
            }),
        Metric(
            "queue_oldest_seconds", .gauge, ["account", "state"],
            "Of what is pending: since the oldest delivery began. Of what is retrying: how long the "
                + "first has been due; 0 "
                + "where none is. What is paused is in neither.",
            "Alert on what is old for your deliveries.",
            samples: { page, samples in
                for (state, age) in [
                    ("pending", \StoreFigures.Queue.oldestSeconds), ("retrying", \.overdueSeconds),
                ] {
                    var oldest: [String: Int] = [:]
                    for queue in page.store.value?.queues ?? [] {
                        let label = page.labels.label(of: queue.account)
                        oldest[label] = max(oldest[label] ?? 0, queue[keyPath: age])
                    }
                    for (label, seconds) in oldest.sorted(by: { $0.key < $1.key }) {
                        samples.add(seconds, label, state)
                    }
                }
            }),
        Metric(
            "deliveries", .gauge, ["state"], "Deliveries that have not ended, by state.",
            "See `pushmta delivery list`.",
            samples: { page, samples in
                for (state, count) in (page.store.value?.deliveries ?? [:]).sorted(by: { $0.key < $1.key }) {
                    samples.add(count, state)
                }
            }),
        Metric(
            "deliveries_held", .gauge,
            "Deliveries that are held: damaged rows, or a backup that was restored.",
            "See `pushmta status`, `delivery recount` and `delivery release`."
        ) { $0.store.value?.held },
        Metric(
            "credential_left_seconds", .gauge, ["account"],
            "Until the account's certificate ends; negative once it has. Keys have no end and are left out.",
            "Renew below 30 days: `pushmta app update`.",
            samples: { page, samples in
                // If several credentials have the same label, the first one to expire counts.
                var ends: [String: Int64] = [:]
                for (account, end) in page.store.value?.credentialEnds ?? [:] {
                    let label = page.labels.label(of: account)
                    ends[label] = min(ends[label] ?? .max, end.seconds(since: page.wall))
                }
                for (label, left) in ends.sorted(by: { $0.key < $1.key }) { samples.add(Int(left), label) }
            }),
    ]
}
