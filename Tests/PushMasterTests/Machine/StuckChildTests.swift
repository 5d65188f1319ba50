import PushConfig
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests how the normal end of a child is distinguished from its loss.
@Suite struct StuckChildTests {
    @Test
    func `a child that sends heartbeats without progress is killed, and another child gets its messages`()
        throws
    {
        try MasterFixture.with { fixture in
            let (counts, log) = try StandInChild.deliver(
                in: fixture, first: #"while cat "$0/busy" >&3; do sleep 0.1; done"#)
            #expect(counts.sent == 10)
            let killed = log.filter {
                $0.contains("ended: it has messages with gateways but has reported no outcome for 2 s")
            }
            #expect(killed.count == 1 && killed.allSatisfy { $0.contains("signal 9") })
        }
    }

    /// Requests that time out are not answers: otherwise a child whose connections are dead would report
    /// timeouts forever.
    @Test func `a child that reports only timeouts is killed`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 10, identity: "one"))
            try StandInChild.write(try #require(try fixture.prepare(delivery).first).ids, to: fixture.folder)
            let program = StandInChild.program(
                first: #"while cat "$0/undecided" "$0/busy" >&3; do sleep 0.1; done"#)
            let log = try StandInChild.serve(fixture, program: program) { log in
                eventually("the child to be killed") { log().contains { $0.contains("no outcome for 2 s") } }
            }
            #expect(log.contains { $0.contains("child 1 ") && $0.contains("no outcome for 2 s") })
        }
    }

    @Test func `without retryLostMessages, messages of a killed child fail`() throws {
        try MasterFixture.with { fixture in
            let (counts, log) = try StandInChild.deliver(
                in: fixture, first: #"while cat "$0/busy" >&3; do sleep 0.1; done"#
            ) { $0.mta.retryLostMessages = false }
            #expect(counts.failed == 10)
            let words = "10 messages without an outcome fail as unreachable (retryLostMessages is false)"
            #expect(log.contains { $0.hasSuffix(words) })
            #expect(!log.contains { $0.contains("sent again") })
        }
    }

    /// The binary gateway is silent on success, so a child that uses it works for a long time before it has
    /// an outcome to report.
    @Test(arguments: [
        (#"cat "$0/busy" >&3; sleep 0.5; kill -9 $$"#, false),
        (#"cat "$0/busy" >&3; sleep 0.5; kill -SEGV $$"#, true),
        ("sleep 0.5; kill -9 $$", true),
    ])
    func `if another process kills a sending child, this does not count as evidence about the installation`(
        first: String, isFault: Bool
    ) throws {
        try MasterFixture.with { fixture in
            let (counts, log) = try StandInChild.deliver(in: fixture, first: first)
            #expect(counts.sent == 10)
            #expect(
                log.contains { $0.hasSuffix("10 messages without an outcome are waiting to be sent again") })
            #expect(log.contains { $0.contains("a child ended before it did any work") } == isFault)
        }
    }

    /// A grant may be sent to a child that is ending. The child never reads it and sends none of its
    /// messages.
    @Test(arguments: [true, false])
    func `a child that ends in order loses no message, with and without retryLostMessages`(retries: Bool)
        throws
    {
        try MasterFixture.with { fixture in
            let (counts, log) = try StandInChild.deliver(in: fixture, first: "sleep 0.5; exit 0") {
                $0.mta.retryLostMessages = retries
            }
            #expect(counts.sent == 10 && counts.failed == 0)
            #expect(log.contains { $0.contains("child 1 ") && $0.contains("exit status 0") })
        }
    }
}
