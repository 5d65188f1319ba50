package import PushModel
internal import PushSchedule

/// Records which jobs of single messages have grants. One day may have a million contents, and each content
/// is a job. A job without a grant is kept for a while, in case a client submits the same content again. The
/// jobs that have been without a grant for the longest time are forgotten first.
///
/// Used only on the reader's thread, which also assigns jobs to grants. Therefore no grant of a forgotten job
/// can be on its way.
package struct MessageJobs {
    package struct Owner: Sendable {
        package var delivery: DeliveryID
        package var content: MessageContentID
        package var app: AppID
        package init(delivery: DeliveryID, content: MessageContentID, app: AppID) {
            self.delivery = delivery
            self.content = content
            self.app = app
        }
    }
    private struct Entry {
        let owner: Owner
        var grants = 0
        /// The number of the job's valid place in ``resting``. Its earlier places are outdated.
        var rest = 0
    }

    /// The maximum number of jobs that are kept without a grant.
    private let maxResting: Int
    private var jobs: [JobID: Entry] = [:]
    private var jobOfGrant: [GrantID: JobID] = [:]
    private var resting = FIFOQueue<(job: JobID, rest: Int)>()
    private var restingCount = 0

    package init(maxResting: Int = 200) { self.maxResting = maxResting }

    /// The number of known jobs.
    package var count: Int { jobs.count }

    package mutating func grant(_ grant: GrantID, of job: JobID, _ owner: Owner) {
        guard jobOfGrant.updateValue(job, forKey: grant) == nil else { return }
        var entry = jobs[job] ?? Entry(owner: owner, grants: 0, rest: 1)
        // A known job without grants was resting. A new job was not.
        if jobs[job] != nil, entry.grants == 0 { restingCount -= 1 }
        entry.grants += 1
        entry.rest += 1
        jobs[job] = entry
    }

    /// - Returns: The jobs that this call has forgotten.
    package mutating func release(_ grant: GrantID) -> [(job: JobID, owner: Owner)] {
        guard let job = jobOfGrant.removeValue(forKey: grant), var entry = jobs[job] else { return [] }
        entry.grants -= 1
        jobs[job] = entry
        guard entry.grants == 0 else { return [] }
        if resting.count > 2 * maxResting { forgetOldPlaces() }
        resting.append((job, entry.rest))
        restingCount += 1
        var forgotten: [(job: JobID, owner: Owner)] = []
        while restingCount > maxResting, let (job, rest) = resting.popFirst() {
            // The job was granted again after it was placed in `resting`.
            guard let entry = jobs[job], entry.grants == 0, entry.rest == rest else { continue }
            jobs[job] = nil
            restingCount -= 1
            forgotten.append((job, entry.owner))
        }
        return forgotten
    }

    /// Removes outdated places. If a job rests repeatedly, only its last place counts.
    private mutating func forgetOldPlaces() {
        let jobs = jobs
        resting.removeAll { jobs[$0.job]?.rest != $0.rest }
    }
}
