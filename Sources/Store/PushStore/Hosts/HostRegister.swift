package import PushModel

/// The state of a host when its row was last read.
package struct SeenHost: Equatable, Sendable {
    package var host: String
    package var name: String
    /// The random identifier of the host's process.
    package var session: String
    /// The generation in which it leads or last led.
    package var generation: Int64
    /// The number of reports that the host has made. If this number has changed, the host has reported again,
    /// even if the store's clock was set to a different time.
    package var word: Int64

    package init(host: String, name: String, session: String, generation: Int64, word: Int64) {
        (self.host, self.name, self.session) = (host, name, session)
        (self.generation, self.word) = (generation, word)
    }
}

/// A host that is alive as far as the store knows: it leads, sends, or is on standby.
package struct LiveHost: Equatable, Sendable {
    package var seen: SeenHost
    package var leads: Bool
    /// The number of shares into which it divides quotas and rates; 0 if it has not begun to send.
    package var shares: Int
    package var sends: Bool { shares > 0 }

    package init(_ seen: SeenHost, leads: Bool, shares: Int) {
        (self.seen, self.leads, self.shares) = (seen, leads, shares)
    }
}

/// The information that a host receives when it reports.
package struct HostUpdate: Equatable, Sendable {
    /// Whether this host still has its place in the list of hosts. If not, the host was declared dead, or
    /// another process has the host's id.
    package var hasPlace: Bool
    /// Whether an operator wants this host to send nothing.
    package var isDrained: Bool
    /// This host's entry, if this host leads according to the store. The host may not know that it leads if
    /// the answer to its takeover was lost.
    package var ownLead: SeenHost?
    /// All other live hosts, ordered by id.
    package var others: [LiveHost]
    /// The time of the store's clock, in milliseconds.
    package var storeMilliseconds: Int64

    package init(
        hasPlace: Bool, others: [LiveHost] = [], storeMilliseconds: Int64 = 0, isDrained: Bool = false,
        ownLead: SeenHost? = nil
    ) {
        (self.hasPlace, self.others, self.storeMilliseconds) = (hasPlace, others, storeMilliseconds)
        (self.isDrained, self.ownLead) = (isDrained, ownLead)
    }

    package var leader: SeenHost? { otherLeader ?? ownLead }
    package var otherLeader: SeenHost? { others.first(where: \.leads)?.seen }
}

/// A host's report about itself.
package struct HostReport: Equatable, Sendable {
    /// Whether the host sends or is about to send. If not, the host has no parts and will not take any soon.
    package var sends = false
    /// The number of shares into which it currently divides quotas and rates.
    package var shares = 0
    /// The time up to which the host has obeyed pauses and stops, in milliseconds of the store's clock.
    package var obeyedMilliseconds: Int64 = 0
    /// The number of messages that its children have, or whose outcome is not committed.
    package var unrecorded = 0
    package var answersPerSecond = 0
    /// How long, from now on, other hosts must not consider this host dead.
    package var goodForMilliseconds: Int64

    package init(
        sends: Bool = false, shares: Int = 0, obeyedMilliseconds: Int64 = 0, unrecorded: Int = 0,
        answersPerSecond: Int = 0, goodForMilliseconds: Int64 = 20_000
    ) {
        (self.unrecorded, self.answersPerSecond) = (unrecorded, answersPerSecond)
        (self.sends, self.shares, self.obeyedMilliseconds) = (sends, shares, obeyedMilliseconds)
        self.goodForMilliseconds = goodForMilliseconds
    }
}

/// The result of entering a host into the list.
package enum HostEntry: Equatable, Sendable {
    case entered
    /// Another process has or had this host's id.
    /// - Parameter isConnected: Whether the server knows a connection of that process.
    case known(SeenHost, isConnected: Bool)
}

/// This host's entry in the list of hosts that share a store. The entry uses a separate connection, which
/// does not wait for other writes. One host leads: it prepares, expires and tidies up. All hosts send, each
/// its own parts.
package protocol HostRegister: AnyObject, Sendable {
    /// This host's id: the random id of its instance folder.
    var host: String { get }
    /// Gives this host a place in the list, and the number that identifies this process as the holder of its
    /// parts. No process ever had this number.
    /// - Parameter session: The session of an earlier process of this host, whose place this process takes
    ///   over; `nil` if there is none.
    func enter(name: String, release: String, replacing session: String?) throws(StoreError) -> HostEntry
    /// Reports for a host that does not lead, and returns which other hosts exist. Like ``renew``, it throws
    /// `newerVersion` if the tables belong to another release by now; this process must then write nothing
    /// more.
    func look(saying word: HostReport) throws(StoreError) -> HostUpdate
    /// Makes this host the leader, if the leading host has not reported since it was seen and, by the store's
    /// clock, has been silent for long enough.
    /// - Returns: `nil` if this host did not become the leader.
    func takeOver(
        from seen: SeenHost?, afterMilliseconds: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)?
    /// Reports for the host that leads in this generation, and returns which other hosts exist.
    func renew(
        generation: Int64, forMilliseconds: Int64, saying word: HostReport
    ) throws(StoreError) -> HostUpdate
    /// Declares these hosts dead if they have not reported since they were seen and, by the store's clock,
    /// have been silent for long enough. Called by the leading host. The hosts' connections are ended, and
    /// any host may take their parts.
    /// - Returns: The hosts that were declared dead.
    func end(_ silent: [SeenHost], afterMilliseconds: Int64) throws(StoreError) -> [SeenHost]
    /// Allows any host to take the parts of hosts that no longer exist. Called by the leading host.
    func freeParts() throws(StoreError)
    /// Reports that this host no longer has any work under way. Another host may immediately take over the
    /// lead and this host's parts.
    func leave() throws(StoreError)
    /// Ends this host's lead, so that the host is on standby. Called if the host must not send, so that a
    /// host that sends can lead.
    func stepDown() throws(StoreError)
    /// Sets whether the given host must send nothing. The host learns this when it next reports, and still
    /// obeys it after a restart.
    /// - Parameters:
    ///   - id: The host's id.
    ///   - note: The change's line in the audit trail.
    /// - Returns: Whether the host exists.
    func drain(_ id: String, _ isWanted: Bool, noting note: AuditNote?) throws(StoreError) -> Bool
    /// Returns the leases of this process's parts.
    func leases() -> any PartLeases

    /// Notifies all other hosts, after the commit, that something was submitted or that an operator's
    /// instructions changed. A host that is not notified finds the change when it polls.
    func announce() throws(StoreError)
    /// Waits until another host, or a command anywhere, announces something, or ``wake()`` is called.
    /// - Returns: Whether something was announced, or may have been announced while this host was not
    ///   listening.
    func waitForAnnouncement(atMostMilliseconds: Int32) -> Bool
    /// Ends ``waitForAnnouncement(atMostMilliseconds:)``, from any thread.
    func wake()
}

/// A host as shown to an operator.
package struct HostRow: Equatable, Sendable {
    package var id: String
    package var name: String
    package var release: String
    /// `leading` (it sends too), `sending`, `draining`, `drained`, `standby`, `gone` after an orderly end, or
    /// `lost` if it fell silent.
    package var state: String
    package var since: WallMoment
    /// The age of the host's last report, by the store's clock.
    package var silentMilliseconds: Int64
    /// The generation in which it leads or last led; 0 if it never led.
    package var generation: Int64
    /// The number of parts that the host currently has.
    package var parts: Int
    /// The figures in the host's last report: the number of messages that its children have or whose outcome
    /// is not committed, and the recent number of answers per second.
    package var unrecorded: Int
    package var answersPerSecond: Int

    /// Whether the host sends, as far as the store knows.
    package var sends: Bool { HostReader.sends(state, silentMilliseconds: silentMilliseconds) }
}

/// Reads the list of hosts.
package struct HostReader: Sendable {
    let connection: Connection

    /// Returns the hosts: the leading host first, then the others, sorted by name. The result is empty if the
    /// engine allows only one host.
    package func all() throws(StoreError) -> [HostRow] {
        try connection.read("list the hosts") { db in
            guard db.dialect == .postgreSQL else { return [] }
            return try db.rows(sql: PostgreSQLHosts.list).map { row in
                HostRow(
                    id: try row["id"], name: try row["name"], release: try row["release"],
                    state: try row["state"],
                    since: WallMoment(millisecondsSince1970: try row["since_ms"]),
                    silentMilliseconds: max(try row["silent_ms"], 0), generation: try row["generation"],
                    parts: try row["parts"], unrecorded: try row["unrecorded"],
                    answersPerSecond: try row["answers_per_second"])
            }
        }
    }

    /// A host that has been silent for this long sends nothing, whether or not another host has declared it
    /// dead.
    package static let maxSilentMilliseconds: Int64 = 60_000

    /// Reports whether a host in this state (``HostRow/state``) may have requests under way.
    package static func sends(_ state: String, silentMilliseconds: Int64) -> Bool {
        ["leading", "sending", "draining"].contains(state) && silentMilliseconds < maxSilentMilliseconds
    }

    /// Reports whether no process of a host in this state is running, as far as the other hosts know.
    package static func hasGone(_ state: String) -> Bool { ["gone", "lost"].contains(state) }

    /// Returns the other hosts that send and have not yet obeyed all pauses and stops that preceded the first
    /// call, by the store's clock. A host that has been silent for ``maxSilentMilliseconds`` does not send.
    /// - Parameters:
    ///   - own: This host's id.
    ///   - moment: The value of `since` that the first call returned; `nil` in the first call.
    package func unresponsiveHosts(
        besides own: String, since moment: Int64? = nil
    ) throws(StoreError) -> (names: [String], since: Int64) {
        try connection.read("read the hosts") { db in
            guard db.dialect == .postgreSQL else { return ([], 0) }
            let since = try moment ?? db.value(Int64.self, sql: "SELECT \(PostgreSQLHosts.now)") ?? 0
            let names = try db.values(
                String.self,
                sql: """
                    SELECT name FROM host WHERE state IN ('serving', 'sending') AND id <> ?1 AND obeyed_ms < \
                    ?2
                        AND \(PostgreSQLHosts.now) - word_ms < ?3
                    ORDER BY name
                    """,
                arguments: [own, since, Self.maxSilentMilliseconds])
            return (names, since)
        }
    }
}
