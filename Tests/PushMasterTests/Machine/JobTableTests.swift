import PushMaster
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct JobTableTests {
    private func job(_ number: JobID, of delivery: Int64) -> JobDefinition {
        JobDefinition(
            order: JobOrder(
                job: number, account: 1, delivery: DeliveryID(rawValue: delivery), platform: .ios,
                bundleID: "com.x.y",
                messageIDFormat: .uuid, tracking: false, expiresAt: WallTime(secondsSince1970: 9),
                variables: [],
                contentJSON: Array("{}".utf8)),
            retry: RetryOverride(), mark: AccountKey(rawValue: "m"))
    }

    @Test func `a job ends with its delivery, and is forgotten with its last grant`() {
        var jobs = JobTable()
        for (number, delivery) in [(1, 7), (2, 7), (3, 8)] as [(JobID, Int64)] {
            jobs.define(job(number, of: delivery))
        }
        jobs.grant(10, of: 1)
        jobs.grant(11, of: 1)
        #expect(jobs.end(DeliveryID(rawValue: 7)) == [2])
        #expect(jobs[2] == nil)
        #expect(!jobs.isOpen(1) && !jobs.isOpen(2) && jobs.isOpen(3))
        // Answers for messages in flight still count.
        #expect(jobs.job(of: 10)?.order.job == 1)
        #expect(jobs.release(10) == nil)
        #expect(jobs.job(of: 10) == nil)
        #expect(jobs.release(11) == 1)
        #expect(jobs[1] == nil)
        #expect(jobs.release(11) == nil)
    }

    @Test func `the table lists the accounts whose children have messages from a delivery`() {
        var jobs = JobTable()
        jobs.define(job(1, of: 7))
        jobs.define(job(2, of: 8))
        #expect(jobs.accountsWithGrants(of: DeliveryID(rawValue: 7)).isEmpty)
        jobs.grant(10, of: 1)
        #expect(jobs.accountsWithGrants(of: DeliveryID(rawValue: 7)) == [1])
        #expect(jobs.accountsWithGrants(of: DeliveryID(rawValue: 8)).isEmpty)
        _ = jobs.release(10)
        #expect(jobs.accountsWithGrants(of: DeliveryID(rawValue: 7)).isEmpty)
    }

    @Test func `a job outlives its grants while its delivery continues`() {
        var jobs = JobTable()
        jobs.define(job(1, of: 7))
        jobs.grant(10, of: 1)
        #expect(jobs.release(10) == nil)
        #expect(jobs.isOpen(1))
        #expect(jobs.end(DeliveryID(rawValue: 7)) == [1])
    }

    @Test func `a delivery that continues after it has ended gets another job`() {
        var jobs = JobTable()
        jobs.define(job(1, of: 7))
        jobs.grant(10, of: 1)
        #expect(jobs.end(DeliveryID(rawValue: 7)).isEmpty)
        jobs.define(job(2, of: 7))
        #expect(jobs.isOpen(2) && !jobs.isOpen(1))
        #expect(jobs.release(10) == 1)
        #expect(jobs.isOpen(2))
    }

    @Test func `a grant for an undefined job belongs to no job`() {
        var jobs = JobTable()
        jobs.grant(10, of: 1)
        #expect(jobs.job(of: 10) == nil)
        #expect(jobs.release(10) == nil)
        #expect(jobs.end(DeliveryID(rawValue: 7)).isEmpty)
        #expect(!jobs.isOpen(1))
    }
}
