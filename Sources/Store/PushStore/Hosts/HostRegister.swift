package import PushModel

/// A host, as the store showed it.
package struct SeenHost: Equatable, Sendable {
    package var host: String
    package var name: String
    /// Of its process, at random.
    package var session: String
    /// By which it leads, or led last.
    package var generation: Int64
    /// Counts what it said: another number is another renewal, whatever the store's clock was set to.
    package var word: Int64

    package init(host: String, name: String, session: String, generation: Int64, word: Int64) {
        (self.host, self.name, self.session) = (host, name, session)
        (self.generation, self.word) = (generation, word)
    }
}

/// A host that lives as far as the store knows: it leads, sends, or is about to.
package struct LiveHost: Equatable, Sendable {
    package var seen: SeenHost
    package var leads: Bool
    /// Into how many shares it divides quotas and rates; 0: it has not begun to send.
    package var shares: Int
    package var sends: Bool { shares > 0 }

    package init(_ seen: SeenHost, leads: Bool, shares: Int) {
        (self.seen, self.leads, self.shares) = (seen, leads, shares)
    }
}

/// What a host learns when it says its word.
package struct HostNews: Equatable, Sendable {
    /// This host's place is its own still. False: it was taken for dead, or another process has its id.
    package var hasPlace: Bool
    /// An operator wants this host to send nothing.
    package var isDrained: Bool
    /// This host leads by the store's word: it may not know, where the answer to its take-over was lost.
    package var ownLead: SeenHost?
    /// All others that live, in the order of their ids.
    package var others: [LiveHost]
    /// The store's clock, in milliseconds.
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

/// What a host says of itself.
package struct HostReport: Equatable, Sendable {
    /// It sends, or is about to; else it has parts neither now nor soon.
    package var sends = false
    /// Into how many shares it divides quotas and rates by now.
    package var shares = 0
    /// Up to when it has obeyed what was paused and stopped, by the store's clock in milliseconds.
    package var obeyedMilliseconds: Int64 = 0
    /// Messages that its children have, or whose outcome is not committed.
    package var unrecorded = 0
    package var answersPerSecond = 0
    /// For so long from now on nobody may take it for dead.
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

/// What came of entering a host into the list.
package enum HostEntry: Equatable, Sendable {
    case entered
    /// A process has this id already, or had it. - Parameter isConnected: the server knows a connection of it.
    case known(SeenHost, isConnected: Bool)
}

/// This host in the list of those that share a store, by a connection of its own that waits for nobody's
/// writes. One host leads: it prepares, expires and tidies up. All of them send, each its own parts.
package protocol HostRegister: AnyObject, Sendable {
    /// This host's id: of its instance folder, at random.
    var host: String { get }
    /// Has a place in the list, and a number for its parts that nobody ever had.
    /// - Parameter session: of an earlier process of this host, whose place is taken.
    func enter(name: String, release: String, replacing session: String?) throws(StoreError) -> HostEntry
    /// Says a word of a host that does not lead, and looks who else is there. As ``renew``, it throws `newerVersion`
    /// where the tables are another release's by now: this process is to write nothing more.
    func look(saying word: HostReport) throws(StoreError) -> HostNews
    /// Leads from now on, where what was seen is still so and the store's clock agrees that it is time.
    /// - Returns: nil where it is not.
    func takeOver(
        from seen: SeenHost?, afterMilliseconds: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)?
    /// Says a word of the host that leads by this generation, and looks who else is there.
    func renew(
        generation: Int64, forMilliseconds: Int64, saying word: HostReport
    ) throws(StoreError) -> HostNews
    /// For the host that leads: these are dead, where they have said nothing since and the store's clock
    /// agrees. Their connections are ended, and their parts are anybody's.
    /// - Returns: those that were.
    func end(_ silent: [SeenHost], afterMilliseconds: Int64) throws(StoreError) -> [SeenHost]
    /// For the host that leads: parts of hosts that are not there any more are anybody's.
    func freeParts() throws(StoreError)
    /// Nothing of this host is under way any more: another may take over at once, and have its parts.
    func leave() throws(StoreError)
    /// This host, which sends nothing, does not lead any more, and stands by.
    func stepDown() throws(StoreError)
    /// Says of any host whether it is to send nothing; it learns of it with its next word, and keeps to it when
    /// it is started anew.
    /// - Parameters:
    ///   - id: the host's.
    ///   - note: the change's line in the audit trail.
    /// - Returns: whether there is such a host.
    func drain(_ id: String, _ isWanted: Bool, noting note: AuditNote?) throws(StoreError) -> Bool
    /// Of this process's parts.
    func leases() -> any PartLeases

    /// Tells all other hosts that something was submitted, or what an operator wants was changed, after that is
    /// committed. Who is not told finds it by looking.
    func announce() throws(StoreError)
    /// Waits until another host, or a command somewhere, announces something, or ``wake()`` is called.
    /// - Returns: whether something was announced, or may have been while nobody listened.
    func waitForAnnouncement(atMostMilliseconds: Int32) -> Bool
    /// Ends ``waitForAnnouncement(atMostMilliseconds:)``, from any thread.
    func wake()
}

/// A host as an operator sees it.
package struct HostRow: Equatable, Sendable {
    package var id: String
    package var name: String
    package var release: String
    /// `leading` (it sends too), `sending`, `draining`, `drained`, `standby`, `gone` after a goodbye, or `lost`: it
    /// fell silent.
    package var state: String
    package var since: WallMoment
    /// How old its last word is, by the store's clock.
    package var silentMilliseconds: Int64
    /// By which it leads, or led last; 0: it never did.
    package var generation: Int64
    /// Parts that are its own at present.
    package var parts: Int
    /// As it said last: messages that its children have, or whose outcome is not committed; how many were
    /// answered a second of late.
    package var unrecorded: Int
    package var answersPerSecond: Int

    /// It sends, as far as the store knows.
    package var sends: Bool { HostReader.sends(state, silentMilliseconds: silentMilliseconds) }
}

/// Reads the list of hosts.
package struct HostReader: Sendable {
    let connection: Connection

    /// Whoever leads first, then by name. Where a store is one host's by its nature, nobody.
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

    /// After so long without a word a host sends nothing, whether or not another one was there to end it.
    package static let mostSilentMilliseconds: Int64 = 60_000

    /// Whether something of a host in this state, ``HostRow/state``, may be under way.
    package static func sends(_ state: String, silentMilliseconds: Int64) -> Bool {
        ["leading", "sending", "draining"].contains(state) && silentMilliseconds < mostSilentMilliseconds
    }

    /// Whether nothing runs of a host in this state, as far as the others know.
    package static func hasGone(_ state: String) -> Bool { ["gone", "lost"].contains(state) }

    /// Other hosts that send and have not obeyed yet what was paused and stopped by now, as the store's clock
    /// says when this is first asked. One that is silent for ``mostSilentMilliseconds`` does not send.
    /// - Parameters:
    ///   - own: this host's id.
    ///   - moment: what the first call returned; nil: this is it.
    package func disobedient(
        besides own: String, since moment: Int64? = nil
    ) throws(StoreError) -> (names: [String], since: Int64) {
        try connection.read("look at the hosts") { db in
            guard db.dialect == .postgreSQL else { return ([], 0) }
            let since = try moment ?? db.value(Int64.self, sql: "SELECT \(PostgreSQLHosts.now)") ?? 0
            let names = try db.values(
                String.self,
                sql: """
                    SELECT name FROM host WHERE state IN ('serving', 'sending') AND id <> ?1 AND obeyed_ms < ?2
                        AND \(PostgreSQLHosts.now) - word_ms < ?3
                    ORDER BY name
                    """,
                arguments: [own, since, Self.mostSilentMilliseconds])
            return (names, since)
        }
    }
}
