/// What is sent, what waits, and where it lies.
extension Metric {
    // MARK: Accounts

    static let accounts = [
        accountState, accountOutstanding, accountInFlight, accountWindow, accountConnections, accountRate,
        answers, answerReasons, commitToGateway, gatewayAnswer, answerToCommit,
    ]
    static let accountState = Metric(
        "account_state", .gauge, ["account", "state"],
        "Accounts by name that are in this state of their breaker: working, waiting, probing, "
            + "stopped; stalled: "
            + "working, and nothing came of it for a minute.",
        "stopped waits for a person, stalled has its cause in `pushmta status`.")
    static let accountOutstanding = Metric(
        "account_outstanding_messages", .gauge, ["account"],
        "The account's messages that are with children and not yet committed (granted).", "–")
    static let accountInFlight = Metric(
        "account_in_flight_messages", .gauge, ["account"],
        "Of these, handed to the gateway and not yet answered.",
        "At the window: the gateway is the limit.")
    static let accountWindow = Metric(
        "account_window_messages", .gauge, ["account"],
        "Messages that may be in flight at present: what gateway and back-off leave of the settings.",
        "One that fell is a gateway that is slow or asks to slow down.")
    static let accountConnections = Metric(
        "account_connections", .gauge, ["account"], "Open connections to the account's gateway.", "–")
    static let accountRate = Metric(
        "account_rate_limit_messages", .gauge, ["account"],
        "Messages a second that the account's quota allows now; left out without a quota.",
        "Compare with the rate of answers_total.")
    static let answers = Metric(
        "answers_total", .counter, ["account", "outcome"],
        "What became of messages that children had: accepted, rejected, undecided, never_sent, "
            + "too_large, missing_parameter. A message "
            + "that is tried again counts again.",
        "The rate of accepted is the sending rate; a share of rejected that jumps is a wrong "
            + "credential or old tokens."
    )
    static let answerReasons = Metric(
        "answer_reasons_total", .counter, ["outcome", "reason"],
        "The same by the gateway's word, or ours in parentheses, accepted ones left out; 200 words, "
            + "then `other`.",
        "See the gateway's documentation, and the Outcomes page.")
    static let commitToGateway = Metric(
        "commit_to_gateway_seconds", .histogram, ["account"],
        "From the commit of a message's part to its first hand-over to the gateway; what an earlier "
            + "master left "
            + "counts from when it was found.",
        "Long with free credit is a quota or a breaker, long without is the gateway.")
    static let gatewayAnswer = Metric(
        "gateway_answer_seconds", .histogram, ["account"],
        "From a message's hand-over to its gateway's answer; the binary gateway answers no single message.",
        "A gateway that became slow.")
    static let answerToCommit = Metric(
        "answer_to_commit_seconds", .histogram,
        "From the gateway's answer to the commit of what it means: each report of a child counts as "
            + "its oldest answer.",
        "Long: the store is slow, see store_commit_seconds.")

    // MARK: What waits

    static let queue = [queueMessages, queueOldest, deliveries, deliveriesHeld, credentialLeft]
    static let queueMessages = Metric(
        "queue_messages", .gauge, ["account", "state"],
        "Messages in the store that wait for their account: pending (never tried) and retrying, "
            + "those with children "
            + "included; paused: of paused deliveries, or to go at a later time of their own, in neither of the others.",
        "Growing while answers_total stands still: see account_state.")
    static let queueOldest = Metric(
        "queue_oldest_seconds", .gauge, ["account", "state"],
        "Of what is pending: since the oldest delivery began. Of what is retrying: how long the "
            + "first has been due; 0 "
            + "where none is. What is paused is in neither.",
        "Alert on what is old for your deliveries.")
    static let deliveries = Metric(
        "deliveries", .gauge, ["state"], "Deliveries that have not ended, by state.",
        "See `pushmta delivery list`.")
    static let deliveriesHeld = Metric(
        "deliveries_held", .gauge, "Deliveries that are held: damaged rows, or a backup that was restored.",
        "See `pushmta status`, `delivery recount` and `delivery release`.")
    static let credentialLeft = Metric(
        "credential_left_seconds", .gauge, ["account"],
        "Until the account's certificate ends; negative once it has. Keys have no end and are left out.",
        "Renew below 30 days: `pushmta app update`.")

    // MARK: The store

    static let store = [
        storeCommits, storeRows, storeFailures, storeWriting, storeWaiting, storeOldest, storeBytes,
        storeFree,
        storeLog, storeMemory, diskFree, storeLookAge, storeLookFailed,
    ]
    static let storeCommits = Metric(
        "store_commit_seconds", .histogram, "From a group's first statement to the end of its commit.",
        "A slow disk, or somebody else who writes.")
    static let storeRows = Metric(
        "store_rows_total", .counter, "Rows that committed groups were to change, at most.", "–")
    static let storeFailures = Metric(
        "store_failures_total", .counter, "Groups that could not be committed, each try counted.",
        "Any rate: the log and alarms of kind store say why.")
    static let storeWriting = Metric(
        "store_writing_seconds", .gauge, "How long the group that is being written has taken; 0: none is.",
        "Seconds: the disk does not answer.")
    static let storeWaiting = Metric(
        "store_waiting_units", .gauge, ["class"], "Units that wait to be written, by class.",
        "Outcomes that pile up are a store that is slower than the gateways.")
    static let storeOldest = Metric(
        "store_waiting_oldest_seconds", .gauge, ["class"],
        "How long the oldest of those has waited, as the writer saw it last; 0: none waits.", "The same.")
    static let storeBytes = Metric(
        "store_bytes", .gauge, "What the store takes on its disk.", "See nmac/@retentionDays.")
    static let storeFree = Metric(
        "store_free_bytes", .gauge, "Of these, what is used before the store grows; left out on PostgreSQL.",
        "–")
    static let storeLog = Metric(
        "store_log_bytes", .gauge, "SQLite's log beside the store.",
        "One that only grows: a reader, perhaps a copy, holds it.")
    static let storeMemory = Metric(
        "store_memory_bytes", .gauge,
        "What SQLite holds in the memory of the process that answers; left out on PostgreSQL.",
        "It grows with the store up to its caches: 32 MB of the writer, 8 MB for each reader.")
    static let diskFree = Metric(
        "disk_free_bytes", .gauge,
        "What is left to this user on the disk of the store, or on PostgreSQL of the instance folder.",
        "Full: sending stops until there is room.")
    static let storeLookAge = Metric(
        "store_look_age_seconds", .gauge, "How old what this page says of the store's contents is.",
        "Beyond a minute: the store does not answer.")
    static let storeLookFailed = Metric(
        "store_look_failed", .gauge, "1 where the store could not be read for this page.",
        "See /readyz and the log.")
}
