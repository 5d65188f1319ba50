internal import PushAPI
internal import PushModel
internal import PushWire

/// Metrics of sent messages and waiting messages.
extension Metric {
    /// The step between latency classes that are written for each account. With a thousand accounts, every
    /// second class is sufficient.
    private static let everyForAccounts = 2

    static let accounts: [Metric] = [
        Metric(
            "account_state", .gauge, ["account", "state"],
            "The number of accounts with this name whose breaker is in this state: working, waiting, "
                + "probing, stopped, or stalled (working, but without progress for a minute).",
            "A stopped account requires an operator's action. `pushmta status` shows why an account is "
                + "stalled.",
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
            "Messages of the account that are granted to children and whose outcomes are not yet committed.",
            "–",
            samples: { $0.addByAccount(\.outstanding, to: &$1) }),
        Metric(
            "account_in_flight_messages", .gauge, ["account"],
            "Outstanding messages that the gateway has received and not yet answered.",
            "If it equals the window, the gateway is the limit.",
            samples: { $0.addByAccount(\.inFlight, to: &$1) }),
        Metric(
            "account_window_messages", .gauge, ["account"],
            """
            Current maximum number of messages in flight: the maximum in the settings, reduced by the \
            gateway's limit and by back-off.
            """,
            "If it decreases, the gateway is slow or requests a lower rate.",
            samples: { $0.addByAccount(\.window, to: &$1) }),
        Metric(
            "account_connections", .gauge, ["account"], "Open connections to the account's gateway.", "–",
            samples: { $0.addByAccount(\.connections, to: &$1) }),
        Metric(
            "account_rate_limit_messages", .gauge, ["account"],
            "Messages per second that the account's quota allows at present; absent without a quota.",
            "Compare it with the rate of answers_total.",
            samples: { $0.addByAccount(\.ratePerSecond, to: &$1) }),
        Metric(
            "answers_total", .counter, ["account", "outcome"],
            "Outcomes of messages that were granted to children: accepted, rejected, undecided, never_sent, "
                + "too_large, missing_parameter. Each attempt to send a message is counted.",
            "The rate of accepted is the sending rate. If the share of rejected suddenly increases, a "
                + "credential is wrong or tokens are old.",
            samples: { page, samples in
                for (label, account) in page.countedAccounts {
                    for (answer, count) in zip(MasterFigures.Answer.allCases, account.answers) {
                        samples.add(count, label, answer.rawValue)
                    }
                }
            }),
        Metric(
            "answer_reasons_total", .counter, ["outcome", "reason"],
            "The outcomes in answers_total except accepted, by the gateway's reason code, or by PushMTA's "
                + "own reason in parentheses. All reasons after the first 200 are counted together as "
                + "`other`.",
            "Reference/GatewayAnswers.md explains every reason. See also the Outcomes page.",
            samples: { page, samples in
                let reasons = (page.master?.figures?.reasons ?? [:]).sorted {
                    ($0.key.answer.rawValue, $0.key.word) < ($1.key.answer.rawValue, $1.key.word)
                }
                for (reason, count) in reasons { samples.add(count, reason.answer.rawValue, reason.word) }
            }),
        Metric(
            "commit_to_gateway_seconds", .histogram, ["account"],
            "Time from the commit of a message's part until the message is first handed to the gateway. For "
                + "messages that an earlier master left unsent, the time begins when the new master finds "
                + "them.",
            """
            If the time is long although there is free credit, the cause is a quota or a breaker. Without \
            free credit, the cause is the gateway.
            """,
            samples: { page, samples in
                for (label, account) in page.countedAccounts where !account.waits.isEmpty {
                    samples.add(account.waits, every: everyForAccounts, label)
                }
            }),
        Metric(
            "gateway_answer_seconds", .histogram, ["account"],
            """
            Time from handing a message to the gateway until the gateway answers; the binary gateway does \
            not answer individual messages.
            """,
            "If it increases, the gateway has become slow.",
            samples: { page, samples in
                for (label, account) in page.countedAccounts where !account.gateway.isEmpty {
                    samples.add(account.gateway, every: everyForAccounts, label)
                }
            }),
        Metric(
            "answer_to_commit_seconds", .histogram, [],
            "Time from the gateway's answer to the commit of its outcome; each report from a child counts "
                + "once, with the time of its oldest answer.",
            "If it is long, the store is slow: see store_commit_seconds.",
            samples: { page, samples in
                if let figures = page.master?.figures { samples.add(figures.recorded) }
            }),
    ]

    static let queue: [Metric] = [
        Metric(
            "queue_messages", .gauge, ["account", "state"],
            "Messages in the store that wait for their account: pending (never tried) and retrying, both "
                + "including messages that are granted to children; paused (messages of paused deliveries, "
                + "and messages with their own later send time). Paused messages are not counted in another "
                + "state.",
            "If it grows while answers_total does not, see account_state.",
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
            "Pending: time since the start of the oldest delivery that has waiting messages. Retrying: time "
                + "since the earliest retry became due. 0 if no message is waiting or due. Paused messages "
                + "are not included.",
            "Alert on an age that is too high for your deliveries.",
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
            "Deliveries that are on hold because their rows are damaged or because they were restored from a "
                + "backup.",
            "See `pushmta status`, `delivery recount` and `delivery release`."
        ) { $0.store.value?.held },
        Metric(
            "credential_left_seconds", .gauge, ["account"],
            """
            Time until the account's certificate expires; negative if it has expired. Keys do not expire \
            and are omitted.
            """,
            "Below 30 days, renew the certificate: `pushmta app update`.",
            samples: { page, samples in
                // If several credentials have the same label, the credential that expires first counts.
                var ends: [String: Int64] = [:]
                for (account, end) in page.store.value?.credentialEnds ?? [:] {
                    let label = page.labels.label(of: account)
                    ends[label] = min(ends[label] ?? .max, end.seconds(since: page.wall))
                }
                for (label, left) in ends.sorted(by: { $0.key < $1.key }) { samples.add(Int(left), label) }
            }),
    ]
}
