import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct ResumeOrdersTests {
    private static let noon = TemporaryStore.noon

    @Test func `each process that polls reads each order once, whichever process wrote the order`() throws {
        try TemporaryStore.with { fixture in
            let other = try fixture.reopened()
            _ = try fixture.store.auditWriter.orderResume(of: "an old one", by: "a test", at: Self.noon)
            var (one, two) = (ResumeOrderPlace(), ResumeOrderPlace())
            // A process that is starting has no wait that an order could end.
            #expect(try fixture.store.audit.resumeOrders(after: &one) == [])
            #expect(try other.audit.resumeOrders(after: &two) == [])
            let number = try fixture.store.work.changeNumber()
            let first = try other.auditWriter.orderResume(of: "an account", by: "a test", at: Self.noon)
            #expect(try fixture.store.work.changeNumber() != number, "polls look at this alone")
            for what in ["billing", "an account"] {
                try fixture.store.auditWriter.note(
                    who: "a test", action: "token.create", what: what, at: Self.noon)
            }
            let second = try fixture.store.auditWriter.orderResume(
                of: "another account", by: "a test", at: Self.noon)
            #expect(first.number < second.number && first.account == "an account")
            #expect(try fixture.store.audit.resumeOrders(after: &one) == [first, second])
            #expect(try other.audit.resumeOrders(after: &two) == [first, second])
            #expect(try fixture.store.audit.resumeOrders(after: &one) == [])
            let line = try #require(try fixture.store.audit.page(limit: 1).first)
            #expect(line.action == "account.resume" && line.what == "another account" && line.who == "a test")
        }
    }

    @Test func `a reader finds an order even if its number is lower than those already read`() throws {
        try TemporaryStore.with { fixture in
            var place = ResumeOrderPlace()
            #expect(try fixture.store.audit.resumeOrders(after: &place) == [])
            let first = try fixture.store.auditWriter.orderResume(of: "a", by: "a test", at: Self.noon)
            #expect(try fixture.store.audit.resumeOrders(after: &place) == [first])
            // The row is written as if the number had been assigned earlier and committed only now.
            try fixture.store.auditWriter.note(who: "a test", action: "x", what: "y", at: Self.noon)
            #expect(try fixture.store.audit.resumeOrders(after: &place) == [])
            try fixture.alter("UPDATE audit SET action = 'account.resume', what = 'late' WHERE action = 'x'")
            #expect(try fixture.store.audit.resumeOrders(after: &place).map(\.account) == ["late"])
            #expect(try fixture.store.audit.resumeOrders(after: &place) == [])
        }
    }
}
