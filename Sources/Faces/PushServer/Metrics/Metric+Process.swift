internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

/// Metrics of this process, its web module, its master and its children.
extension Metric {
    static let process: [Metric] = [
        Metric(
            "build_info", .gauge, ["version", "commit", "schema"], "Always 1; the labels say what runs.",
            "Compare hosts after an update.",
            samples: { page, samples in
                samples.add(1, page.product.version, page.product.commit, page.product.schema)
            }),
        Metric(
            "start_time_seconds", .gauge, "When the service began, in seconds since 1970.",
            "One that changes unasked is a service that ended: look at its log."
        ) { Int($0.started.secondsSince1970) },
        Metric(
            "cpu_seconds_total", .counter, "Processor time of this process, children left out.",
            "Its rate is cores in use; a master at one core is the limit of one instance."
        ) { _ in ProcessFacts.processorSeconds },
        Metric(
            "resident_memory_bytes", .gauge, "Memory of this process in RAM, children left out.",
            "See mta/@maxMemoryMb."
        ) { _ in Int(ResidentMemory.kilobytes()) * 1_024 },
        Metric(
            "open_files", .gauge, "Files and sockets that this process has open.",
            "Near the limit: raise LimitNOFILE= of the service."
        ) { _ in ProcessFacts.openFiles },
    ]

    static let web: [Metric] = [
        Metric(
            "web_connections", .gauge, "Open connections to the web module.",
            "At web/@maxConnections each new one closes one that waits for its client: look who holds them."
        ) { $0.connections },
        Metric(
            "web_certificate_left_seconds", .gauge,
            "Until the web module's own certificate ends; negative once it has. Absent without TLS.",
            "Below two weeks: see whether it is renewed; a new file is used without a restart."
        ) { page in page.certificateEnd.map { Int($0.seconds(since: page.wall)) } },
        Metric(
            "web_requests_total", .counter, ["route", "status"],
            "Requests that were answered; other routes than those that there are count as `other`.",
            "Many of status 5xx: see /readyz.",
            samples: { page, samples in
                for (key, count) in page.requests.requests.sorted(by: { $0.key < $1.key }) {
                    samples.add(count, key.route, "\(key.status)")
                }
            }),
        Metric(
            "web_request_seconds", .histogram, ["route"], "From a request's head to its answer.",
            "A slow /metrics is a master or a store that does not answer in time.",
            samples: { page, samples in
                for (route, times) in page.requests.times.sorted(by: { $0.key < $1.key }) {
                    samples.add(times, route)
                }
            }),
        Metric(
            "hits_total", .counter, ["result"],
            "What devices reported by /r/: first and repeated ones, such as name no message, and what could not be written.",
            "Many of unknown or malformed: an app that makes ids of its own; refused: see /readyz.",
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
            "`pushmta app show` has the names: correct them in the app, or declare them.",
            samples: { page, samples in
                for (app, registrations) in page.undeclared { samples.add(registrations, app) }
            }),
    ]

    static let master: [Metric] = [
        Metric(
            "master_state", .gauge, ["state"],
            "1 for the state that the master is in: starting, running, draining, or none where there is none.",
            "Alert on none, and on starting for long.",
            samples: { page, samples in
                for state in ["starting", "running", "draining", "none"] {
                    samples.add((page.master?.state ?? "none") == state ? 1 : 0, state)
                }
            }),
        Metric(
            "master_uptime_seconds", .gauge, "How long the master has served.", "See start_time_seconds."
        ) { $0.master?.uptimeSeconds },
        Metric(
            "master_silent_seconds", .gauge, "How old the master's figures on this page are.",
            "Beyond some seconds its loop is stuck or very busy: /healthz says so after 10."
        ) { $0.master?.ageSeconds },
        Metric(
            "unrecorded_messages", .gauge,
            "Messages whose outcome a crash now would leave unrecorded: the bound on duplicates.",
            "Bounded by the children's capacity; full and not moving is a store that cannot be written."
        ) { $0.master?.unrecorded },
        Metric(
            "waiting_ranges", .gauge, "Ranges of messages that wait for a child with credit.",
            "Growing with free credit is an account that is held: see account_state."
        ) { $0.master?.waitingRanges },
        Metric(
            "operations_total", .counter, "Operations of commands that the master has carried out.", "–"
        ) { $0.master?.operations },
        Metric(
            "alarms", .gauge, ["kind"],
            "Alarms of the master by kind: store, account, topic, children, delivery, part, clock, key, host.",
            "Alert on any; `pushmta status` has the causes.",
            samples: { page, samples in
                guard let master = page.master else { return }
                for kind in MasterStatus.Alarm.kinds {
                    samples.add(master.alarms.count { $0.kind == kind }, kind)
                }
            }),
    ]

    static let children: [Metric] = [
        Metric(
            "children", .gauge, ["state"], "Child processes: working, draining, lost.",
            "None working while messages wait: see alarms of kind children.",
            samples: { page, samples in
                guard let master = page.master else { return }
                for state in ["working", "draining", "lost"] {
                    samples.add(master.children.count { $0.state == state }, state)
                }
            }),
        Metric(
            "children_resident_memory_bytes", .gauge, "Memory of all children in RAM.",
            "See mta/child/@maxWorkingSetMb."
        ) { $0.ofChildren { $0.residentKilobytes * 1_024 } },
        Metric(
            "children_capacity_messages", .gauge, "Messages that all working children may have at once.",
            "Less what is outstanding it is the free credit."
        ) { $0.master?.figures?.capacity },
        Metric(
            "children_outstanding_messages", .gauge,
            "Granted to children and not yet committed: capacity less this is free credit.",
            "At the capacity for long: gateway, window or store is the limit."
        ) { $0.ofChildren(\.outstanding) },
        Metric(
            "children_waiting_messages", .gauge, "Of these, not yet handed to a gateway.",
            "Many: gateways take less than they are offered, see account_window_messages."
        ) { $0.ofChildren(\.waiting) },
        Metric(
            "children_in_flight_messages", .gauge, "Of these, handed to a gateway and not yet answered.", "–"
        ) { $0.ofChildren(\.inFlight) },
        Metric(
            "children_connections", .gauge, "Open connections to gateways.", "–"
        ) { $0.ofChildren(\.connections) },
        Metric(
            "children_started_total", .counter, "Child processes that were started.",
            "A steady rate is a child that dies or is recycled: see children_ended_total."
        ) { $0.master?.figures?.childrenStarted },
        Metric(
            "children_ended_total", .counter, ["how"],
            "Child processes that ended: orderly, crashed, killed, or not_started at all.",
            "Crashes are faults of ours or of the installation: see the log.",
            samples: { page, samples in
                guard let figures = page.master?.figures else { return }
                for how in ["orderly", "crashed", "killed", "not_started"] {
                    samples.add(figures.childrenEnded[how] ?? 0, how)
                }
            }),
        Metric(
            "engine_faults_total", .counter, ["boundary"],
            "Guarantees between two parts of the engine that were found broken; the delivery concerned is held.",
            "Any is a defect of this program: report the line of the log.",
            samples: { page, samples in
                guard let figures = page.master?.figures else { return }
                for boundary in EngineFault.Boundary.allCases.map(\.rawValue) {
                    samples.add(figures.engineFaults[boundary] ?? 0, boundary)
                }
            }),
    ]
}
