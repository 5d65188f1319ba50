package import PushModel
package import PushStore

/// What a host makes of the others' words: which of them are dead, and when it may begin to send beside them.
///
/// Pure, as ``HostLease``. **Promises.** A host is called silent only after it was seen to say nothing for
/// longer than it may send without a word, within one connection and by this host's clock. Sending begins
/// when each of the others divides quotas and rates by as many hosts as there are with this one.
package struct HostWatch: Sendable {
    private struct Seen {
        var host: SeenHost
        var since: MonotonicTime
        /// When this host saw it first: what it says two words later it has said knowing of this one.
        var firstWord: Int64
    }

    private let takeOverMilliseconds: Int64
    private var seen: [String: Seen] = [:]
    /// The others as the last look showed them.
    private var live: [LiveHost] = []
    /// Without a connection since the last look.
    private var isDeaf = false

    package init(_ times: HostLease.Times) { takeOverMilliseconds = times.takeOverMilliseconds }

    /// The connection was lost: whoever spoke meanwhile was not heard, and nobody may have been able to.
    /// Silence is counted from the next look.
    package mutating func lostConnection() { isDeaf = true }

    /// - Parameters:
    ///   - sentAt: when the look was sent: what it shows is not older.
    ///   - now: when its answer came.
    /// - Returns: those that have been silent for too long.
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

    /// Hosts that have not renewed their leases for a quarter of the time after which they are taken for dead: no
    /// healthy host takes that long.
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

    /// Hosts that quotas are divided by, this one included.
    package var shares: Int { live.count + 1 }

    /// Whether the others have made room for one more, this one. One that says nothing is waited for until it
    /// is called dead: it may have taken more since its last word, because another one left.
    package var hasRoom: Bool {
        live.allSatisfy { other in
            guard let entry = seen[other.seen.session] else { return false }
            let knows = entry.host.word - entry.firstWord >= 2
            // One that leads and shares nothing is of a release that does not know how.
            return knows && (other.shares == 0 && !other.leads || other.shares >= shares)
        }
    }
}

/// A host that should have renewed its lease by now.
package struct LateHost: Equatable, Sendable, CustomStringConvertible {
    /// Of its process.
    package var session: String
    package var name: String
    package var seconds: Int64
    package var takeOverSeconds: Int64

    package init(session: String, name: String, seconds: Int64, takeOverSeconds: Int64) {
        (self.session, self.name) = (session, name)
        (self.seconds, self.takeOverSeconds) = (seconds, takeOverSeconds)
    }

    package var description: String {
        "it has not renewed its lease for \(seconds) s; after \(takeOverSeconds) s other hosts take its parts: look at "
            + "that machine, and in pg_stat_activity for what its connections wait for"
    }
}
