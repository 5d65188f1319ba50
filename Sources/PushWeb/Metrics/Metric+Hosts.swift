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
