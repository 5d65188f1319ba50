package import PushModel

/// A connector's jobs, keyed by job number.
///
/// The job of the last lookup is cached. The next message nearly always belongs to the same job, so there is
/// no hashing per message. `Job` is a class, so that the hot path passes a reference and copies nothing.
package struct AdmittedJobs<Job: AnyObject> {
    @usableFromInline var jobs: [JobID: Job] = [:]
    @usableFromInline var last: (number: JobID, job: Job)?

    package init() {}

    package var all: some Sequence<Job> { jobs.values }

    package mutating func admit(_ job: Job, as number: JobID) {
        jobs[number] = job
        last = nil
    }

    package mutating func retire(_ number: JobID) {
        jobs[number] = nil
        last = nil
    }

    @inlinable @inline(__always)
    package mutating func find(_ number: JobID) -> Job? {
        if let last, last.number == number { return last.job }
        guard let job = jobs[number] else { return nil }
        last = (number, job)
        return job
    }
}
