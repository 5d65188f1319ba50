internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

/// Metrics of this process, its web module, its master and its children.
extension Metric {
    static let process: [Metric] = [
        Metric(
            "build_info", .gauge, ["version", "commit", "schema"],
            "Always 1; the labels identify the running program.",
            "Compare the hosts after an update.",
            samples: { page, samples in
                samples.add(1, page.product.version, page.product.commit, page.product.schema)
            }),
        Metric(
            "start_time_seconds", .gauge, "Start time of the service, in seconds since 1970.",
            "If it changes unexpectedly, the service ended and was restarted: look at its log."
        ) { Int($0.started.secondsSince1970) },
        Metric(
            "cpu_seconds_total", .counter, "Processor time of this process, excluding its children.",
            """
            Its rate is the number of cores in use. A master that uses one core has reached the limit of \
            one instance.
            """
        ) { _ in ProcessFacts.processorSeconds },
        Metric(
            "resident_memory_bytes", .gauge, "Resident memory of this process, excluding its children.",
            "See mta/@maxMemoryMb."
        ) { _ in Int(ResidentMemory.kilobytes()) * 1_024 },
        Metric(
            "open_files", .gauge, "Files and sockets that this process has open.",
            "If it is near the limit, raise LimitNOFILE= of the service."
        ) { _ in ProcessFacts.openFiles },
    ]

    static let web: [Metric] = [
        Metric(
            "web_connections", .gauge, "Open connections to the web module.",
            """
            At web/@maxConnections, the server closes a connection that is waiting for its client whenever a \
            new one arrives: find out which clients keep connections open.
            """
        ) { $0.connections },
        Metric(
            "web_certificate_left_seconds", .gauge,
            "Time until the web module's own certificate expires; negative if it has expired. Absent without "
                + "TLS.",
            "Below two weeks: check that the certificate is renewed. A new file takes effect without a "
                + "restart."
        ) { page in page.certificateEnd.map { Int($0.seconds(since: page.wall)) } },
        Metric(
            "web_requests_total", .counter, ["route", "status"],
            "Answered requests; requests to unknown routes are counted as `other`.",
            "If many requests are answered with status 5xx, see /readyz.",
            samples: { page, samples in
                for (key, count) in page.requests.requests.sorted(by: { $0.key < $1.key }) {
                    samples.add(count, key.route, "\(key.status)")
                }
            }),
        Metric(
            "web_request_seconds", .histogram, ["route"], "Time from the head of a request to its response.",
            "If the route /metrics is slow, the master or the store does not answer in time.",
            samples: { page, samples in
                for (route, times) in page.requests.times.sorted(by: { $0.key < $1.key }) {
                    samples.add(times, route)
                }
            }),
        Metric(
            "hits_total", .counter, ["result"],
            """
            Reports that devices sent to /r/: first reports, repeated reports, reports that name no message, \
            and reports that could not be written.
            """,
            "If many reports are unknown or malformed, an app creates its own ids. If reports are refused, "
                + "see /readyz.",
            samples: { page, samples in
                guard let hits = page.hits else { return }
                samples.add(hits.first, "first")
                samples.add(hits.repeated, "repeated")
                samples.add(hits.unknown, "unknown")
                samples.add(hits.malformed.values.reduce(0, +), "malformed")
                samples.add(hits.refused, "refused")
            }),
        Metric(
            "undeclared_parameter_registrations_total", .counter, ["app"],
            "Registrations with parameters that the app does not declare; their values are not stored.",
            "`pushmta app show` lists the names of the parameters: correct the names in the app, or declare "
                + "the parameters.",
            samples: { page, samples in
                for (app, registrations) in page.undeclared { samples.add(registrations, app) }
            }),
    ]

    static let master: [Metric] = [
        Metric(
            "master_state", .gauge, ["state"],
            """
            1 for the current state of the master: starting, running, draining, or none if there is no \
            master.
            """,
            "Alert on none, and on starting if this state lasts long.",
            samples: { page, samples in
                for state in ["starting", "running", "draining", "none"] {
                    samples.add((page.master?.state ?? "none") == state ? 1 : 0, state)
                }
            }),
        Metric(
            "master_uptime_seconds", .gauge, "Time since the master started serving.",
            "See start_time_seconds."
        ) { $0.master?.uptimeSeconds },
        Metric(
            "master_silent_seconds", .gauge, "Age of the master's figures on this page.",
            "If the age is several seconds, the master's loop is stuck or very busy. /healthz reports this "
                + "after 10 s."
        ) { $0.master?.ageSeconds },
        Metric(
            "unrecorded_messages", .gauge,
            """
            Messages whose outcome would remain unrecorded if the process crashed now: the maximum number of \
            messages that would be sent twice.
            """,
            "The number is limited by the capacity of the children. If it stays at that limit, the store "
                + "cannot be written."
        ) { $0.master?.unrecorded },
        Metric(
            "waiting_ranges", .gauge, "Ranges of messages that wait for a child with credit.",
            "If the number grows although there is free credit, an account is waiting or stopped: see "
                + "account_state."
        ) { $0.master?.waitingRanges },
        Metric(
            "operations_total", .counter, "Operations that the master has carried out for commands.", "–"
        ) { $0.master?.operations },
        Metric(
            "alarms", .gauge, ["kind"],
            """
            Alarms of the master by kind: store, disk, account, topic, children, delivery, part, clock, \
            key, host.
            """,
            "Alert on any alarm; `pushmta status` lists the causes.",
            samples: { page, samples in
                guard let master = page.master else { return }
                for kind in MasterStatus.Alarm.kinds {
                    samples.add(master.alarms.count { $0.kind == kind }, kind)
                }
            }),
    ]

    static let children: [Metric] = [
        Metric(
            "children", .gauge, ["state"], "Child processes by state: working, draining, lost.",
            "If none is working while messages wait, see the alarms of kind children.",
            samples: { page, samples in
                guard let master = page.master else { return }
                for state in ["working", "draining", "lost"] {
                    samples.add(master.children.count { $0.state == state }, state)
                }
            }),
        Metric(
            "children_resident_memory_bytes", .gauge, "Resident memory of all children.",
            "See mta/child/@maxWorkingSetMb."
        ) { $0.ofChildren { $0.residentKilobytes * 1_024 } },
        Metric(
            "children_capacity_messages", .gauge,
            "Maximum number of messages that may be outstanding in all working children together.",
            "Free credit is this number minus the outstanding messages."
        ) { $0.master?.figures?.capacity },
        Metric(
            "children_outstanding_messages", .gauge,
            """
            Messages that are granted to children and whose outcomes are not yet committed. Free credit is \
            the capacity minus this number.
            """,
            "If it stays at the capacity, the gateway, the window or the store is the limit."
        ) { $0.ofChildren(\.outstanding) },
        Metric(
            "children_waiting_messages", .gauge, "Outstanding messages not yet handed to a gateway.",
            """
            If there are many, gateways accept messages more slowly than PushMTA offers them: see \
            account_window_messages.
            """
        ) { $0.ofChildren(\.waiting) },
        Metric(
            "children_in_flight_messages", .gauge,
            "Outstanding messages that a gateway has received and not yet answered.", "–"
        ) { $0.ofChildren(\.inFlight) },
        Metric(
            "children_connections", .gauge, "Open connections to gateways.", "–"
        ) { $0.ofChildren(\.connections) },
        Metric(
            "children_started_total", .counter, "Child processes that the master started.",
            "If the rate is steady, children die or are recycled: see children_ended_total."
        ) { $0.master?.figures?.childrenStarted },
        Metric(
            "children_ended_total", .counter, ["how"],
            """
            Child processes that ended: orderly, crashed, killed, or not_started if they could not be \
            started.
            """,
            "Crashes are caused by bugs in PushMTA or by the installation: see the log.",
            samples: { page, samples in
                guard let figures = page.master?.figures else { return }
                for how in ["orderly", "crashed", "killed", "not_started"] {
                    samples.add(figures.childrenEnded[how] ?? 0, how)
                }
            }),
        Metric(
            "engine_faults_total", .counter, ["boundary"],
            "Violated guarantees between two parts of the engine. The affected delivery is put on hold.",
            "Every fault is a bug in PushMTA: report the line in the log.",
            samples: { page, samples in
                guard let figures = page.master?.figures else { return }
                for boundary in EngineFault.Boundary.allCases.map(\.rawValue) {
                    samples.add(figures.engineFaults[boundary] ?? 0, boundary)
                }
            }),
    ]
}
