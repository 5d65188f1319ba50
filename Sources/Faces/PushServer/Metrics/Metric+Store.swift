internal import PushAPI
internal import PushModel
internal import PushWire

/// Metrics of the store, the hosts and the webhooks.
extension Metric {
    static let store: [Metric] = [
        Metric(
            "store_commit_seconds", .histogram, [],
            "From a group's first statement to the end of its commit.",
            "A slow disk, or somebody else who writes.",
            samples: { page, samples in
                if let writes = page.writes { samples.add(writes.commits) }
            }),
        Metric(
            "store_rows_total", .counter, "Rows that committed groups were to change, at most.", "–"
        ) { $0.writes?.rows },
        Metric(
            "store_failures_total", .counter, "Groups that could not be committed, each try counted.",
            "Any rate: the log and alarms of kind store say why."
        ) { $0.writes?.failures },
        Metric(
            "store_writing_seconds", .gauge,
            "How long the group that is being written has taken; 0: none is.",
            "Seconds: the disk does not answer."
        ) { page in page.writes.map { page.seconds(since: $0.began) } },
        Metric(
            "store_waiting_units", .gauge, ["class"], "Units that wait to be written, by class.",
            "Outcomes that pile up are a store that is slower than the gateways.",
            samples: { page, samples in
                for kind in page.writes?.classes ?? [] { samples.add(kind.waiting, kind.name) }
            }),
        Metric(
            "store_waiting_oldest_seconds", .gauge, ["class"],
            "How long the oldest of those has waited, as the writer saw it last; 0: none waits.", "The same.",
            samples: { page, samples in
                for kind in page.writes?.classes ?? [] {
                    samples.add(page.seconds(since: kind.oldest), kind.name)
                }
            }),
        Metric(
            "store_bytes", .gauge, "What the store takes on its disk.", "See nmac/@retentionDays."
        ) { $0.store.value?.size.bytes },
        Metric(
            "store_free_bytes", .gauge,
            "Of these, what is used before the store grows; left out on PostgreSQL.",
            "–"
        ) { $0.store.value?.size.freeBytes },
        Metric(
            "store_log_bytes", .gauge, "SQLite's log beside the store.",
            "One that only grows: a reader, perhaps a copy, holds it."
        ) { $0.store.value?.size.logBytes },
        Metric(
            "store_memory_bytes", .gauge,
            "What SQLite holds in the memory of the process that answers; left out on PostgreSQL.",
            "It grows with the store up to its caches: 32 MB of the writer, 8 MB for each reader."
        ) { $0.store.value?.memoryBytes },
        Metric(
            "disk_free_bytes", .gauge,
            "What is left to this user on the disk of the store, or on PostgreSQL of the instance folder.",
            "Full: sending stops until there is room."
        ) { $0.store.value?.diskFreeBytes },
        Metric(
            "store_look_age_seconds", .gauge, "How old what this page says of the store's contents is.",
            "Beyond a minute: the store does not answer."
        ) { $0.store.value == nil ? nil : $0.store.ageSeconds },
        Metric(
            "store_look_failed", .gauge, "1 where the store could not be read for this page.",
            "See /readyz and the log."
        ) { $0.store.trouble == nil ? 0 : 1 },
    ]

    /// Absent if the store can belong to only one host.
    static let hosts: [Metric] = [
        Metric(
            "hosts", .gauge, ["state"],
            "Hosts that share the store, by state: leading, sending, draining, drained, standby, gone, lost; none of them "
                + "on SQLite. Every host shows all.",
            "None leading is a store that nobody tidies up; see `pushmta host list`.",
            samples: { page, samples in
                guard !page.hosts.isEmpty else { return }
                for state in ["leading", "sending", "draining", "drained", "standby", "gone", "lost"] {
                    samples.add(page.hosts.count { $0.state == state }, state)
                }
            }),
        Metric(
            "host_parts", .gauge, "Parts of deliveries that are this host's at present: its leases.",
            "0 while others have many: see account_state of this host."
        ) { $0.hosts.first(where: \.isThis)?.parts },
        Metric(
            "host_lease_age_seconds", .gauge, "Since this host's own lease was renewed last.",
            "At 15 its children begin no request, from 20 on others take its parts: see its connection to the database."
        ) { $0.master?.leaseAgeSeconds },
        Metric(
            "take_overs_total", .counter,
            "How often a host began to lead, after another's orderly end or death.",
            "Unasked it is a host that died or was cut off: see hosts."
        ) { $0.hosts.map(\.generation).max() },
    ]

    /// Metrics of webhook receivers, which are few.
    static let webhooks: [Metric] = [
        Metric(
            "webhook_behind_events", .gauge, ["webhook"],
            "Events that the receiver was not told yet, those that are not for it included.",
            "Growing: it takes less than happens, or nothing; see webhook_batches_total.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(Int(hook.behind), name) }
            }),
        Metric(
            "webhook_behind_seconds", .gauge, ["webhook"],
            "How long the first of these has waited; 0: there is none.",
            "Alert beyond some minutes: what it was not told after nmac/@webhookDays is dropped.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(Int(hook.behindSeconds), name) }
            }),
        Metric(
            "webhook_batches_total", .counter, ["webhook", "result"],
            "Batches that were taken, and attempts that failed.",
            "`pushmta webhook show` has the receiver's last answer.",
            samples: { page, samples in
                for (name, hook) in page.webhooks {
                    samples.add(Int(hook.batchesTaken), name, "taken")
                    samples.add(Int(hook.attemptsFailed), name, "failed")
                }
            }),
        Metric(
            "webhook_events_total", .counter, ["webhook", "result"],
            "Events that were told, and such that the receiver never got (dropped).",
            "Any rate of dropped: the receiver was away for too long, or messages were removed before they were told.",
            samples: { page, samples in
                for (name, hook) in page.webhooks {
                    samples.add(Int(hook.told), name, "told")
                    samples.add(Int(hook.dropped), name, "dropped")
                }
            }),
        Metric(
            "webhook_disabled", .gauge, ["webhook"], "1 where nothing is sent to the receiver.",
            "`pushmta webhook show` says why, `webhook update --enable` ends it.",
            samples: { page, samples in
                for (name, hook) in page.webhooks { samples.add(hook.enabled ? 0 : 1, name) }
            }),
    ]
}
