internal import PushModel
package import PushStore
internal import PushWire

/// Returns a page of the jobs, newest first.
package struct ListJobs: ShortOperation, UseCase {
    package static let name = "job.list"
    package static let operation = Operation(
        .get, "/jobs", .read, "Lists operations that consist of many steps, newest first.", reach: .services)
    package static let members: [Member<Self>] = [
        .query(\.limit, "limit", "The maximum number of jobs.", in: 1...1_000, default: 100),
        .cursor(\.before),
    ]

    package var before: Int64?
    package var limit = 100

    package init() {}

    package func perform(in operations: Operations) throws -> Page<JobView> {
        let page = try operations.store.jobs.page(before: before, limit: limit)
        return Page(page.jobs.map(JobView.init), next: page.next, of: self)
    }
}

package struct ShowJob: ShortOperation, UseCase {
    package static let name = "job.show"
    package static let operation = Operation(
        .get, "\(JobRunner.path)/{id}", .read,
        "Returns the progress and the result of an operation that consists of many steps.", reach: .services)
    package static let members: [Member<Self>] = [.job(\.id)]

    package var id: Int64 = 0

    package init() {}
    package init(_ id: Int64) { self.id = id }

    package func perform(in operations: Operations) throws -> JobView {
        guard let row = try operations.store.jobs.find(id) else { throw JobRunner.absence(id) }
        return JobView(row)
    }
}

/// Cancels a job between two of its steps. Steps that were completed before the cancellation are not undone.
package struct CancelJob: ChangingOperation, UseCase {
    package static let name = "job.cancel"
    package static let operation = Operation(
        .post, "\(JobRunner.path)/{id}/cancel", .admin,
        "Cancels an operation that consists of many steps. Completed steps are not undone.", reach: .services)
    package static let members: [Member<Self>] = [.job(\.id)]
    package var followUpCommand: String { "job show \(id)" }
    package var auditText: AuditText? { .of("\(id)") }

    package var id: Int64 = 0

    package init() {}
    package init(id: Int64) { self.id = id }

    package func perform(in operations: Operations) throws -> JobView {
        guard try operations.store.jobs.find(id) != nil,
            let row = try operations.store.jobWriter.cancel(id)
        else { throw JobRunner.absence(id) }
        guard row.ended == nil || row.state == .cancelled else {
            throw OperationError.conflict("job \(id) has already ended: it is \(row.state.word)")
        }
        operations.waits.jobs.cancel(id)
        return JobView(row)
    }
}

extension Member {
    fileprivate static func job(_ path: any WritableKeyPath<Root, Int64> & Sendable) -> Self {
        .path(path, "id", "The job's id.", in: 1...Int.max)
    }
}
