package import PushModel
internal import PushWire

/// The jobs that were reported to the loop, and their grants. A job outlives its delivery while children have
/// messages of the job, because the answers to these messages count when they arrive.
///
/// The time that an operation takes does not depend on the number of deliveries under way.
package struct JobTable {
    private struct Entry {
        var definition: JobDefinition
        var grants = 0
        var hasEnded = false
    }

    private var jobs: [JobID: Entry] = [:]
    private var jobOfGrant: [GrantID: JobID] = [:]
    private var ofDelivery: [DeliveryID: Set<JobID>] = [:]

    package init() {}

    package subscript(_ number: JobID) -> JobDefinition? { jobs[number]?.definition }

    package func job(of grant: GrantID) -> JobDefinition? {
        jobOfGrant[grant].flatMap { jobs[$0]?.definition }
    }

    /// Reports whether messages of the job may be sent to children.
    package func isOpen(_ number: JobID) -> Bool { jobs[number]?.hasEnded == false }

    /// Returns the delivery's jobs that children may know.
    package func numbers(of delivery: DeliveryID) -> Set<JobID> { ofDelivery[delivery] ?? [] }

    /// Reports whether children have messages of the delivery.
    package func hasGrants(of delivery: DeliveryID) -> Bool {
        ofDelivery[delivery]?.contains { (jobs[$0]?.grants ?? 0) > 0 } == true
    }

    /// Returns the accounts through which children are sending messages of this delivery.
    package func accountsWithGrants(of delivery: DeliveryID) -> Set<AccountID> {
        Set(
            (ofDelivery[delivery] ?? []).compactMap { jobs[$0] }.filter { $0.grants > 0 }.map(
                \.definition.order.account))
    }

    package mutating func define(_ job: JobDefinition) {
        jobs[job.order.job] = Entry(definition: job)
        ofDelivery[job.order.delivery, default: []].insert(job.order.job)
    }

    package mutating func grant(_ grant: GrantID, of number: JobID) {
        guard jobs[number] != nil, jobOfGrant.updateValue(number, forKey: grant) == nil else { return }
        jobs[number]?.grants += 1
    }

    /// Records that no child has messages of the grant any longer.
    /// - Returns: The grant's job, if the job has ended and this was its last grant. The job is then
    ///   forgotten.
    package mutating func release(_ grant: GrantID) -> JobID? {
        guard let number = jobOfGrant.removeValue(forKey: grant) else { return nil }
        jobs[number]?.grants -= 1
        return forget(number) ? number : nil
    }

    /// Ends all jobs of the delivery. No further messages from the delivery may be granted.
    /// - Returns: The ended jobs that had no grant and were forgotten.
    package mutating func end(_ delivery: DeliveryID) -> [JobID] {
        let ended = ofDelivery[delivery] ?? []
        for number in ended { jobs[number]?.hasEnded = true }
        return ended.filter { forget($0) }
    }

    /// Ends one job. No further messages from it may be granted.
    /// - Returns: Whether the job had no grant and was forgotten.
    package mutating func end(_ number: JobID) -> Bool {
        jobs[number]?.hasEnded = true
        return forget(number)
    }

    private mutating func forget(_ number: JobID) -> Bool {
        guard let job = jobs[number], job.hasEnded, job.grants == 0 else { return false }
        jobs[number] = nil
        let delivery = job.definition.order.delivery
        ofDelivery[delivery]?.remove(number)
        if ofDelivery[delivery]?.isEmpty == true { ofDelivery[delivery] = nil }
        return true
    }
}
