import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import Testing

/// Tests how the writer handles a report from a feedback service, however long it is, together with all of
/// its other work.
@Suite struct StoreWriterFeedbackTests {
    /// Creates a writer that finds these jobs when it starts.
    private func write(
        _ fixture: MasterFixture, _ jobs: [StoreWriter.Job], lastTriesSeconds: Int64 = 30
    ) throws -> (mailbox: WriterInbox, thread: WriterThreads) {
        let mailbox = try WriterInbox(
            store: fixture.store, loop: fixture.loop, rules: .usual, lastTriesSeconds: lastTriesSeconds)
        for job in jobs { mailbox.send(job) }
        let thread = WriterThreads(mailbox)
        return (mailbox, thread)
    }

    /// Returns a report of the given number of transactions, for one device that exists and many that do not.
    private func flood(_ app: App, transactions: Int) -> StoreWriter.Job {
        let (known, stranger) = (MasterFixture.token(1), MasterFixture.token(999_999))
        let count = transactions * FeedbackWriter.tuplesPerCall
        return .feedback(
            [app.id],
            (0..<count).map { RetiredToken(token: $0 == 0 ? known : stranger, since: Clocks.wall()) })
    }

    @Test func `deliveries are prepared while a feedback service is sending data`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let delivery = try fixture.submit(app)
            let talk = [flood(app, transactions: 20), .feedbackEnded([app.id], isWhole: false)]
            let (mailbox, thread) = try write(fixture, talk)
            // The service continues to send until the deliveries are prepared. Otherwise, waiting for the end
            // of the service would last forever.
            try fixture.next("a prepared chunk") { event -> Void? in
                if case .feedbackApplied(let lines) = event, lines.last?.contains("skipped") == true {
                    for job in talk { mailbox.send(job) }
                }
                return event.word == "prepared" ? () : nil
            }
            mailbox.send(.stop)
            #expect(thread.hasEnded())
            let counts = try fixture.counts(delivery)
            #expect(counts.pending + counts.excluded == 3)
        }
    }

    @Test func `each change is logged on its own line, and all entries without effect share one line`() throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let again = StoreWriter.Job.feedback(
                [app.id],
                [
                    RetiredToken(token: MasterFixture.token(1), since: Clocks.wall()),
                    RetiredToken(
                        token: MasterFixture.token(2), since: Clocks.wall().advanced(bySeconds: -86_400)),
                ])
            let (_, thread) = try write(
                fixture, [flood(app, transactions: 2), again, .feedbackEnded([app.id], isWhole: true), .stop])
            #expect(thread.hasEnded())
            let lines = fixture.rest().flatMap { event -> [String] in
                if case .feedbackApplied(let lines) = event { lines } else { [] }
            }
            try #require(lines.count == 3)
            #expect(lines[0].contains("disabled \(MasterFixture.token(1).prefix(8))"))
            #expect(lines[1].contains("kept \(MasterFixture.token(2).prefix(8))"))
            #expect(
                lines[2] == "feedback for app \(app.id): skipped 3999 without a subscriber, "
                    + "and 1 that were already excluded")
            #expect(try fixture.store.catalogue.lastFeedbackPoll(of: app.id) != nil)
        }
    }

    @Test func `an order to stop waits for feedback only for its time limit, and reports what is lost`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let (_, thread) = try write(fixture, [flood(app, transactions: 2), .stop], lastTriesSeconds: 0)
            #expect(thread.hasEnded())
            let lines = fixture.rest().flatMap { event -> [String] in
                if case .feedbackApplied(let lines) = event { lines } else { [] }
            }
            #expect(
                lines == ["feedback for 4000 devices was lost: there was no time to record it before the end"]
            )
            #expect(try fixture.store.quarantine.counts(of: app.id)[app.id]?.disabled ?? 0 == 0)
        }
    }
}
