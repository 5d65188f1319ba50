import PushModel
import PushStore
import TestSupport
import Testing

/// Tests how a process that is not a host reads hosts.
@Suite(.onPostgreSQL) struct HostReaderTests {
    @Test func `other senders have complied once they report a moment that is not before the request`() throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            _ = try shared.host("c")
            let hosts = try shared.open("d").hosts
            let (names, since) = try hosts.unresponsiveHosts(besides: a.id)
            #expect(names == ["b"], "neither the one that asks nor one that does not send")
            #expect(since > 0)
            try b.speak(obeyed: since - 1)
            let second = try hosts.unresponsiveHosts(besides: a.id, since: since)
            #expect(second.names == ["b"] && second.since == since)
            try b.speak(obeyed: since)
            #expect(try hosts.unresponsiveHosts(besides: a.id, since: since).names == [])
            // A new query has a later moment.
            try shared.run("UPDATE host SET obeyed_ms = \(since) - 1000 WHERE name = 'b'")
            #expect(try hosts.unresponsiveHosts(besides: a.id).names == ["b"])
            #expect(try hosts.unresponsiveHosts(besides: b.id).names == ["a"])
            #expect(try hosts.unresponsiveHosts(besides: "").names == ["a", "b"])
        }
    }

    @Test func `the leader must comply too, and hosts that have left need not comply`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            let claim = try #require(try b.register.takeOver(from: nil, afterMilliseconds: 20_000))
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == ["b"])
            try b.register.leave()
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == [])
            withExtendedLifetime(claim) {}
        }
    }

    @Test
    func `a host that was silent for a minute counts as not sending, even if no host has treated it as lost`()
        throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            let minute = HostReader.maxSilentMilliseconds
            try shared.run("UPDATE host SET word_ms = word_ms - \(minute / 2) WHERE name = 'b'")
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == ["b"])
            try shared.run("UPDATE host SET word_ms = word_ms - \(minute / 2) WHERE name = 'b'")
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == [])
            // The host renews its row again, so it was not dead.
            try b.speak()
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == ["b"])
            // A time that was written by a clock that was set back does not count as silence.
            try shared.run("UPDATE host SET word_ms = word_ms + 3600000 WHERE name = 'b'")
            #expect(try a.store.hosts.unresponsiveHosts(besides: a.id).names == ["b"])
        }
    }
}
