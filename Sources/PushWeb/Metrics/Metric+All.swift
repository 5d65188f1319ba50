

/// Every metric, in the order of the page. A new one is a row here, a line of a `MetricPage+…`, a row of
/// Docs/Metrics.md, and a figure that moves in `EveryMetricMoves`.
extension Metric {
    package static let all: [Metric] =
        process + web + master + children + accounts + queue + store + hosts + webhooks

    // MARK: This process

    private static let process = [
        buildInfo, startTime, cpu, residentMemory, openFiles,
    ]
    static let buildInfo = Metric(
        "build_info", .gauge, ["version", "commit", "schema"], "Always 1; the labels say what runs.",
        "Compare hosts after an update.")
    static let startTime = Metric(
        "start_time_seconds", .gauge, "When the service began, in seconds since 1970.",
        "One that changes unasked is a service that ended: look at its log.")
    static let cpu = Metric(
        "cpu_seconds_total", .counter, "Processor time of this process, children left out.",
        "Its rate is cores in use; a master at one core is the limit of one instance.")
    static let residentMemory = Metric(
        "resident_memory_bytes", .gauge, "Memory of this process in RAM, children left out.",
        "See mta/@maxMemoryMb.")
    static let openFiles = Metric(
        "open_files", .gauge, "Files and sockets that this process has open.",
        "Near the limit: raise LimitNOFILE= of the service.")

    // MARK: The web module

    private static let web = [webConnections, webCertificateLeft, webRequests, webSeconds, hits, undeclared]
    static let webConnections = Metric(
        "web_connections", .gauge, "Open connections to the web module.",
        "At web/@maxConnections each new one closes one that waits for its client: look who holds them.")
    static let webCertificateLeft = Metric(
        "web_certificate_left_seconds", .gauge,
        "Until the web module's own certificate ends; negative once it has. Absent without TLS.",
        "Below two weeks: see whether it is renewed; a new file is used without a restart.")
    static let webRequests = Metric(
        "web_requests_total", .counter, ["route", "status"],
        "Requests that were answered; other routes than those that there are count as `other`.",
        "Many of status 5xx: see /readyz.")
    static let webSeconds = Metric(
        "web_request_seconds", .histogram, ["route"], "From a request's head to its answer.",
        "A slow /metrics is a master or a store that does not answer in time.")

    static let hits = Metric(
        "hits_total", .counter, ["result"],
        "What devices reported by /r/: first and repeated ones, such as name no message, and what could not be written.",
        "Many of unknown or malformed: an app that makes ids of its own; refused: see /readyz.")

    static let undeclared = Metric(
        "undeclared_parameter_registrations_total", .counter, ["app"],
        "Registrations with parameters that the app does not declare; their values are not stored.",
        "`pushmta app show` has the names: correct them in the app, or declare them.")

    // MARK: The master

    private static let master = [
        masterState, masterUptime, masterSilence, unrecorded, waitingRanges, operations, alarms,
    ]
    static let masterState = Metric(
        "master_state", .gauge, ["state"],
        "1 for the state that the master is in: starting, running, draining, or none where there is none.",
        "Alert on none, and on starting for long.")
    static let masterUptime = Metric(
        "master_uptime_seconds", .gauge, "How long the master has served.", "See start_time_seconds.")
    static let masterSilence = Metric(
        "master_silent_seconds", .gauge, "How old the master's figures on this page are.",
        "Beyond some seconds its loop is stuck or very busy: /healthz says so after 10.")
    static let unrecorded = Metric(
        "unrecorded_messages", .gauge,
        "Messages whose outcome a crash now would leave unrecorded: the bound on duplicates.",
        "Bounded by the children's capacity; full and not moving is a store that cannot be written.")
    static let waitingRanges = Metric(
        "waiting_ranges", .gauge, "Ranges of messages that wait for a child with credit.",
        "Growing with free credit is an account that is held: see account_state.")
    static let operations = Metric(
        "operations_total", .counter, "Operations of commands that the master has carried out.", "–")
    static let alarms = Metric(
        "alarms", .gauge, ["kind"],
        "Alarms of the master by kind: store, account, topic, children, delivery, part, clock, key, host.",
        "Alert on any; `pushmta status` has the causes.")

    // MARK: Its children

    private static let children = [
        childCount, childMemory, childCapacity, childOutstanding, childWaiting, childInFlight,
        childConnections, childrenStarted, childrenEnded,
    ]
    static let childCount = Metric(
        "children", .gauge, ["state"], "Child processes: working, draining, lost.",
        "None working while messages wait: see alarms of kind children.")
    static let childMemory = Metric(
        "children_resident_memory_bytes", .gauge, "Memory of all children in RAM.",
        "See mta/child/@maxWorkingSetMb.")
    static let childCapacity = Metric(
        "children_capacity_messages", .gauge, "Messages that all working children may have at once.",
        "Less what is outstanding it is the free credit.")
    static let childOutstanding = Metric(
        "children_outstanding_messages", .gauge,
        "Granted to children and not yet committed: capacity less this is free credit.",
        "At the capacity for long: gateway, window or store is the limit.")
    static let childWaiting = Metric(
        "children_waiting_messages", .gauge, "Of these, not yet handed to a gateway.",
        "Many: gateways take less than they are offered, see account_window_messages.")
    static let childInFlight = Metric(
        "children_in_flight_messages", .gauge, "Of these, handed to a gateway and not yet answered.", "–")
    static let childConnections = Metric(
        "children_connections", .gauge, "Open connections to gateways.", "–")
    static let childrenStarted = Metric(
        "children_started_total", .counter, "Child processes that were started.",
        "A steady rate is a child that dies or is recycled: see children_ended_total.")
    static let childrenEnded = Metric(
        "children_ended_total", .counter, ["how"],
        "Child processes that ended: orderly, crashed, killed, or not_started at all.",
        "Crashes are faults of ours or of the installation: see the log.")
}

extension Metric {
    // MARK: Receivers of events

    static let webhooks = [webhookBehind, webhookLag, webhookBatches, webhookEvents, webhookDisabled]
    static let webhookBehind = Metric(
        "webhook_behind_events", .gauge, ["webhook"],
        "Events that the receiver was not told yet, those that are not for it included.",
        "Growing: it takes less than happens, or nothing; see webhook_batches_total.")
    static let webhookLag = Metric(
        "webhook_behind_seconds", .gauge, ["webhook"],
        "How long the first of these has waited; 0: there is none.",
        "Alert beyond some minutes: what it was not told after nmac/@webhookDays is dropped.")
    static let webhookBatches = Metric(
        "webhook_batches_total", .counter, ["webhook", "result"],
        "Batches that were taken, and attempts that failed.",
        "`pushmta webhook show` has the receiver's last answer.")
    static let webhookEvents = Metric(
        "webhook_events_total", .counter, ["webhook", "result"],
        "Events that were told, and such that the receiver never got (dropped).",
        "Any rate of dropped: the receiver was away for too long, or messages were removed before they were told."
    )
    static let webhookDisabled = Metric(
        "webhook_disabled", .gauge, ["webhook"], "1 where nothing is sent to the receiver.",
        "`pushmta webhook show` says why, `webhook update --enable` ends it.")
}

extension Metric {
    // MARK: Hosts that share the store

    /// Absent where the store is one host's by its nature.
    static let hosts = [hostCount, hostParts, hostLeaseAge, takeOvers]
    static let hostCount = Metric(
        "hosts", .gauge, ["state"],
        "Hosts that share the store, by state: leading, sending, draining, drained, standby, gone, lost; none of them "
            + "on SQLite. Every host shows all.",
        "None leading is a store that nobody tidies up; see `pushmta host list`.")
    static let hostParts = Metric(
        "host_parts", .gauge, "Parts of deliveries that are this host's at present: its leases.",
        "0 while others have many: see account_state of this host.")
    static let hostLeaseAge = Metric(
        "host_lease_age_seconds", .gauge, "Since this host's own lease was renewed last.",
        "At 15 its children begin no request, from 20 on others take its parts: see its connection to the database."
    )
    static let takeOvers = Metric(
        "take_overs_total", .counter, "How often a host began to lead, after another's orderly end or death.",
        "Unasked it is a host that died or was cut off: see hosts.")
}
