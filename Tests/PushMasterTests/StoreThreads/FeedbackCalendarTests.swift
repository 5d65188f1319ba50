import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import Testing

@Suite struct `The calendar of feedback services` {
    let account = AccountID(rawValue: 1)

    @Test func `the calendar reports once that a service has never been read, and again after its period`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one")
            let accounts = [account: [app.id]]
            var calendar = FeedbackCalendar(catalogue: fixture.store.catalogue, periodSeconds: 3_600)
            let now = Clocks.wall()
            #expect(try calendar.due(accounts, at: now) == accounts)
            #expect(try calendar.due(accounts, at: now.advanced(bySeconds: 60)).isEmpty, "it is being read")
            try fixture.store.feedback.notePoll(of: app.id, at: WallMoment(now))
            #expect(try calendar.due(accounts, at: now.advanced(bySeconds: 3_500)).isEmpty)
            #expect(try calendar.due(accounts, at: now.advanced(bySeconds: 3_601)) == accounts)
        }
    }

    @Test func `the calendar requests an incomplete reading again after a waiting time`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one")
            let accounts = [account: [app.id]]
            var calendar = FeedbackCalendar(catalogue: fixture.store.catalogue, periodSeconds: 21_600)
            let now = Clocks.wall()
            #expect(try calendar.due(accounts, at: now) == accounts)
            #expect(try calendar.due(accounts, at: now.advanced(bySeconds: 599)).isEmpty)
            #expect(try calendar.due(accounts, at: now.advanced(bySeconds: 631)) == accounts)
        }
    }

    @Test func `the calendar remembers the readings of an earlier process`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one")
            let now = Clocks.wall()
            try fixture.store.feedback.notePoll(of: app.id, at: WallMoment(now.advanced(bySeconds: -3_000)))
            var calendar = FeedbackCalendar(catalogue: fixture.store.catalogue, periodSeconds: 3_600)
            #expect(try calendar.due([account: [app.id]], at: now).isEmpty)
            #expect(
                try calendar.due([account: [app.id]], at: now.advanced(bySeconds: 700)) == [account: [app.id]]
            )
        }
    }
}
