package import PushModel
package import PushStore

/// This host's evaluation of the other hosts' reports: it determines which hosts are dead, and when this host
/// may begin to send in addition to the others.
///
/// Pure, like ``HostLease``. **Promises.** A host is considered dead only if, within one connection and by
/// this host's clock, no report from that host has been seen for longer than a host may send without
/// reporting. This host begins to send when each of the other hosts divides quotas and rates by a number of
/// hosts that includes this one.
package struct HostWatch: Sendable {
    private struct Seen {
        var host: SeenHost
        var since: MonotonicTime
        /// The number of the first report from the other host that this host saw. Two reports later, the
        /// other host knows about this host.
        var firstWord: Int64
    }

    private let takeOverMilliseconds: Int64
    private var seen: [String: Seen] = [:]
    /// The other hosts according to the last look.
    private var live: [LiveHost] = []
    /// Whether the connection was lost since the last look.
    private var isDeaf = false

    package init(_ times: HostLease.Times) { takeOverMilliseconds = times.takeOverMilliseconds }

    /// Records that the connection was lost. Without a connection, this host receives no reports, and perhaps
    /// no host can send one. Therefore silence is counted from the next look.
    package mutating func lostConnection() { isDeaf = true }

    /// - Parameters:
    ///   - sentAt: When the look was sent. Its result was read after this moment.
    ///   - now: When the answer arrived.
    /// - Returns: The hosts that have been silent for too long.
    package mutating func looked(
        at others: [LiveHost], sentAt: MonotonicTime, now: MonotonicTime
    ) -> [SeenHost] {
        live = others
        var next: [String: Seen] = [:]
        var silent: [SeenHost] = []
        for other in others {
            let found = other.seen
            var entry = seen[found.session] ?? Seen(host: found, since: now, firstWord: found.word)
            if isDeaf || entry.host != found { (entry.host, entry.since) = (found, now) }
            if !other.leads, sentAt.milliseconds(since: entry.since) >= takeOverMilliseconds {
                silent.append(found)
            }
            next[found.session] = entry
        }
        seen = next
        isDeaf = false
        return silent
    }

    /// Returns the hosts that have not renewed their leases for a quarter of the time after which they are
    /// considered dead. A healthy host never takes that long to renew its lease.
    package func late(at now: MonotonicTime) -> [LateHost] {
        guard !isDeaf else { return [] }
        return live.compactMap { other in
            guard let entry = seen[other.seen.session] else { return nil }
            let silent = now.milliseconds(since: entry.since)
            guard silent >= takeOverMilliseconds / 4 else { return nil }
            return LateHost(
                session: other.seen.session, name: other.seen.name.printable(atMost: 200),
                seconds: silent / 1_000, takeOverSeconds: takeOverMilliseconds / 1_000)
        }
    }

    /// The number of hosts, including this one, by which quotas are divided.
    package var shares: Int { live.count + 1 }

    /// Whether the other hosts have made room for this one. This host waits for a silent host until that host
    /// is considered dead: the silent host may have increased its share since its last report, because
    /// another host left.
    package var hasRoom: Bool {
        live.allSatisfy { other in
            guard let entry = seen[other.seen.session] else { return false }
            let knows = entry.host.word - entry.firstWord >= 2
            // If the leading host reports no shares, it runs a release that does not support sharing.
            return knows && (other.shares == 0 && !other.leads || other.shares >= shares)
        }
    }
}

/// A host whose lease renewal is overdue.
package struct LateHost: Equatable, Sendable, CustomStringConvertible {
    /// The session of the host's process.
    package var session: String
    package var name: String
    package var seconds: Int64
    package var takeOverSeconds: Int64

    package init(session: String, name: String, seconds: Int64, takeOverSeconds: Int64) {
        (self.session, self.name) = (session, name)
        (self.seconds, self.takeOverSeconds) = (seconds, takeOverSeconds)
    }

    package var description: String {
        "it has not renewed its lease for \(seconds) s; after \(takeOverSeconds) s, other hosts take over "
            + "its parts: check that machine, and check in pg_stat_activity what its connections are waiting "
            + "for"
    }
}
