internal import PushAPI
internal import PushModel
internal import PushWire

/// Metrics of the store, the hosts and the webhooks.
extension Metric {
    static let store: [Metric] = [
        Metric(
            "store_commit_seconds", .histogram, [],
            "Time from the first statement of a group of writes to the end of the group's commit.",
            "If it is long, the disk is slow or another process writes.",
            samples: { page, samples in
                if let writes = page.writes { samples.add(writes.commits) }
            }),
        Metric(
            "store_rows_total", .counter,
            "Upper bound on the number of rows that committed groups changed.", "–"
        ) { $0.writes?.rows },
        Metric(
            "store_failures_total", .counter, "Failed attempts to commit a group.",
            "If the rate is above 0, the log and the alarms of kind store state the cause."
        ) { $0.writes?.failures },
        Metric(
            "store_writing_seconds", .gauge,
            "Time since the writer began to write the current group; 0 if no group is being written.",
            "If the time reaches several seconds, the disk does not answer."
        ) { page in page.writes.map { page.seconds(since: $0.began) } },
        Metric(
            "store_waiting_units", .gauge, ["class"], "Units that wait to be written, by class.",
            "If outcomes accumulate, the store is slower than the gateways.",
            samples: { page, samples in
                for kind in page.writes?.classes ?? [] { samples.add(kind.waiting, kind.name) }
            }),
        Metric(
            "store_waiting_oldest_seconds", .gauge, ["class"],
            "Age of the oldest waiting unit when the writer last checked; 0 if no unit is waiting.",
            "If the age of outcomes grows, the store is slower than the gateways.",
            samples: { page, samples in
                for kind in page.writes?.classes ?? [] {
                    samples.add(page.seconds(since: kind.oldest), kind.name)
                }
            }),
        Metric(
            "store_bytes", .gauge, "Size of the store on its disk.",
            "nmac/@retentionDays limits its growth. On SQLite it never shrinks: see store_free_bytes."
        ) { $0.store.value?.size.bytes },
        Metric(
            "store_free_bytes", .gauge,
            "The free part of store_bytes, which is used before the store grows; absent on PostgreSQL.",
            "–"
        ) { $0.store.value?.size.freeBytes },
        Metric(
            "store_log_bytes", .gauge, "Size of SQLite's log next to the store.",
            "If it keeps growing, a reader, such as a backup in progress, prevents SQLite from shortening it."
        ) { $0.store.value?.size.logBytes },
        Metric(
            "store_memory_bytes", .gauge,
            "Memory that SQLite uses in the process that serves this page; absent on PostgreSQL.",
            """
            It grows with the store up to the size of its caches: 32 MB for the writer, 8 MB for each \
            reader.
            """
        ) { $0.store.value?.memoryBytes },
        Metric(
            "disk_free_bytes", .gauge,
            """
            Space that this process's user can use on the disk of the store, or on the disk of the instance \
            folder if the store is on PostgreSQL.
            """,
            "If the disk is full, sending stops until space is available."
        ) { $0.store.value?.diskFreeBytes },
        Metric(
            "store_look_age_seconds", .gauge, "Age of the information about the store on this page.",
            "Above one minute, the store does not answer."
        ) { $0.store.value == nil ? nil : $0.store.ageSeconds },
        Metric(
            "store_look_failed", .gauge, "1 if the store could not be read for this page.",
            "See /readyz and the log."
        ) { $0.store.failure == nil ? 0 : 1 },
    ]

    /// These metrics are absent if only one host can use the store.
    static let hosts: [Metric] = [
        Metric(
            "hosts", .gauge, ["state"],
            "Hosts that share the store, by state: leading, sending, draining, drained, standby, gone, lost; "
                + "absent on SQLite. Each host reports all hosts.",
            "If no host is leading, no host does the upkeep of the store: see `pushmta host list`.",
            samples: { page, samples in
                guard !page.hosts.isEmpty else { return }
                for state in ["leading", "sending", "draining", "drained", "standby", "gone", "lost"] {
                    samples.add(page.hosts.count { $0.state == state }, state)
                }
            }),
        Metric(
            "host_parts", .gauge, "Parts of deliveries whose lease this host currently holds.",
            "If the number is 0 while other hosts have many parts, see account_state of this host."
        ) { $0.hosts.first(where: \.isThis)?.parts },
        Metric(
            "host_lease_age_seconds", .gauge, "Time since this host's own lease was last renewed.",
            """
            From 15 s, the host's children do not begin requests; from 20 s, other hosts take over the \
            host's parts. Check the host's connection to the database.
            """
        ) { $0.master?.leaseAgeSeconds },
        Metric(
            "take_overs_total", .counter,
            "Number of times that a host began to lead after another host ended or died.",
            "If it increases unexpectedly, a host died or was cut off: see hosts."
        ) { $0.hosts.map(\.generation).max() },
    ]

    /// Metrics of webhook receivers. There are few receivers, so each one has its own label.
    static let webhooks: [Metric] = [
        Metric(
            "webhook_behind_events", .gauge, ["webhook"],
            "Events in the outbox after the webhook's cursor, including those that it will skip because they "
                + "are not for its receiver.",
            "If the number grows, the receiver accepts events too slowly or not at all: see "
                + "webhook_batches_total.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(Int(hook.behind), name) }
            }),
        Metric(
            "webhook_behind_seconds", .gauge, ["webhook"],
            "Age of the oldest event that has not yet been delivered; 0 if there is none.",
            "Alert above some minutes: events that are not delivered within nmac/@webhookDays are dropped.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(Int(hook.behindSeconds), name) }
            }),
        Metric(
            "webhook_batches_total", .counter, ["webhook", "result"],
            "Batches that the receiver accepted (`taken`), and attempts that failed (`failed`).",
            "`pushmta webhook show` shows the receiver's last answer.",
            samples: { page, samples in
                for (name, hook) in page.webhooks {
                    samples.add(Int(hook.batchesTaken), name, "taken")
                    samples.add(Int(hook.attemptsFailed), name, "failed")
                }
            }),
        Metric(
            "webhook_events_total", .counter, ["webhook", "result"],
            "Events that were delivered (`told`), and events that the receiver never received (`dropped`).",
            """
            If events are dropped, the receiver was unavailable for too long, or messages were removed \
            before their events were delivered.
            """,
            samples: { page, samples in
                for (name, hook) in page.webhooks {
                    samples.add(Int(hook.told), name, "told")
                    samples.add(Int(hook.dropped), name, "dropped")
                }
            }),
        Metric(
            "webhook_disabled", .gauge, ["webhook"], "1 if the webhook is disabled.",
            "`pushmta webhook show` shows the reason; `webhook update --enable` enables the webhook again.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(hook.enabled ? 0 : 1, name) }
            }),
    ]
}
