package import PushModel
internal import PushWire

/// The jobs that the loop was told of, and which grants are of them. A job outlives its delivery while
/// messages of it are with children: their answers count when they come.
///
/// Every operation takes the same time however many deliveries are under way.
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

    /// Whether messages of it may go to children.
    package func isOpen(_ number: JobID) -> Bool { jobs[number]?.hasEnded == false }

    /// Its jobs that children may know.
    package func numbers(of delivery: DeliveryID) -> Set<JobID> { ofDelivery[delivery] ?? [] }

    /// Whether children have messages of it.
    package func hasGrants(of delivery: DeliveryID) -> Bool {
        ofDelivery[delivery]?.contains { (jobs[$0]?.grants ?? 0) > 0 } == true
    }

    /// Accounts that children have messages of this delivery for.
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

    /// Nothing of the grant is with a child any more.
    /// - Returns: its job, where that has ended and this was its last grant: it is forgotten.
    package mutating func release(_ grant: GrantID) -> JobID? {
        guard let number = jobOfGrant.removeValue(forKey: grant) else { return nil }
        jobs[number]?.grants -= 1
        return forget(number) ? number : nil
    }

    /// Nothing more of the delivery is to be granted.
    /// - Returns: jobs of it that have no grant: they are forgotten.
    package mutating func end(_ delivery: DeliveryID) -> [JobID] {
        let ended = ofDelivery[delivery] ?? []
        for number in ended { jobs[number]?.hasEnded = true }
        return ended.filter { forget($0) }
    }

    /// Nothing more of this one is to be granted.
    /// - Returns: whether it has no grant: it is forgotten.
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
