import PushMaster
import PushModel
import Testing

@Suite struct MessageJobsTests {
    private static func owner(_ number: Int64) -> MessageJobs.Owner {
        MessageJobs.Owner(
            delivery: DeliveryID(rawValue: 1), content: MessageContentID(rawValue: number),
            app: AppID(rawValue: 1))
    }

    @Test func `a job without grants is kept for a while, and the oldest job is forgotten first`() {
        var jobs = MessageJobs(maxResting: 2)
        var forgotten: [JobID] = []
        for number in 1...4 as ClosedRange<UInt32> {
            jobs.grant(GrantID(rawValue: number), of: JobID(rawValue: number), Self.owner(Int64(number)))
            forgotten += jobs.release(GrantID(rawValue: number)).map(\.job)
        }
        #expect(forgotten == [JobID(rawValue: 1), JobID(rawValue: 2)] && jobs.count == 2)
    }

    @Test func `a job that is granted again is not forgotten`() {
        var jobs = MessageJobs(maxResting: 1)
        jobs.grant(GrantID(rawValue: 1), of: JobID(rawValue: 1), Self.owner(1))
        #expect(jobs.release(GrantID(rawValue: 1)).isEmpty)
        jobs.grant(GrantID(rawValue: 2), of: JobID(rawValue: 1), Self.owner(1))
        for number in 10...12 as ClosedRange<UInt32> {
            jobs.grant(GrantID(rawValue: number), of: JobID(rawValue: number), Self.owner(Int64(number)))
            #expect(!jobs.release(GrantID(rawValue: number)).contains { $0.job == JobID(rawValue: 1) })
        }
        // Job 1 is now the job that lost its last grant most recently.
        #expect(jobs.release(GrantID(rawValue: 2)).map(\.job) == [JobID(rawValue: 12)])
    }

    @Test func `many grants with the same content, and many with different contents, leave no jobs behind`() {
        var jobs = MessageJobs(maxResting: 10)
        for number in 1...100_000 as ClosedRange<UInt32> {
            let job = JobID(rawValue: number % 3 == 0 ? number : 1)
            jobs.grant(GrantID(rawValue: number), of: job, Self.owner(Int64(job.rawValue)))
            _ = jobs.release(GrantID(rawValue: number))
        }
        #expect(jobs.count <= 10)
    }
}
