import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

struct JobTests {
    private let instance: TestInstance
    private var operations: Operations { instance.operations }

    init() throws {
        instance = try TestInstance.withApp()
        try instance.subscribe(3)
    }

    private func row(_ id: Int64) throws -> JobRow { try #require(try instance.store.jobs.find(id)) }

    private func ended(_ id: Int64) async throws -> JobRow {
        try await eventually("job \(id) to end") { try row(id).ended != nil }
        return try row(id)
    }

    private static func text(_ job: some Job) -> String {
        var bytes: [UInt8] = []
        job.json?.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a job is in the audit trail before it runs, and its request is deleted when it ends`()
        async throws
    {
        let job = try operations.with(caller: "a caller").waits.jobs.start(
            EraseSubscribers(.userKey("user1")), in: operations.with(caller: "a caller"))
        let row = try await ended(job.id)
        #expect(row.state == .done && row.request == nil && row.caller == "a caller")
        #expect(JobView(row).result?.text.contains(#""removed":1"#) == true)
        let lines = try instance.store.audit.page().filter { $0.action == "subscribers.erase" }
        #expect(lines.map(\.what) == ["this user key"] && lines.map(\.who) == ["a caller"])
    }

    @Test func `jobs of a dead process are taken over, or marked as failed if they cannot be repeated`()
        async throws
    {
        let noon = TestInstance.noon.millisecondsSince1970
        func begin(_ name: String, _ request: String?, secondsAgo: Int64) throws -> Int64 {
            try instance.store.jobWriter.begin(
                name, request: request, caller: "a caller",
                at: WallMoment(millisecondsSince1970: noon - secondsAgo * 1_000))
        }
        let request = Self.text(EraseSubscribers(.userKey("user2")))
        let dead = try begin("subscribers.erase", request, secondsAgo: 120)
        let upload = try begin("subscribers.import", nil, secondsAgo: 120)
        let unknown = try begin("a later release's", "{}", secondsAgo: 120)
        let cancelled = try begin("subscribers.erase", request, secondsAgo: 120)
        _ = try instance.store.jobWriter.cancel(cancelled)
        let alive = try begin("subscribers.erase", request, secondsAgo: 1)
        let runner = JobRunner()
        runner.maintain { [operations] in operations }
        #expect(try await ended(dead).state == .done)
        for id in [upload, unknown] {
            let row = try await ended(id)
            #expect(row.state == .failed && row.errors?.contains("ended before the job was complete") == true)
        }
        #expect(try await ended(cancelled).state == .cancelled)
        #expect(try row(alive).ended == nil)
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [2])
    }

    @Test func `a cancelled job ends between two steps and keeps its progress`() async throws {
        var pieces = ["registrationToken,userKey\n"] + (11...30).map { "\(TestInstance.token($0)),new\n" }
        let runner = operations.waits.jobs
        let error = await #expect(throws: OperationError.self) {
            _ = try await runner.perform(
                ImportSubscribers(app: "ios"), type: "text/csv", total: nil, in: operations
            ) { _ in
                if pieces.count == 5 {
                    let id = try operations.carryOut(ListJobs()).items[0].id
                    #expect(try operations.carryOut(CancelJob(id: id)).isCancelled)
                    #expect(try operations.carryOut(CancelJob(id: id)).isCancelled)
                }
                return Array(pieces.removeFirst().utf8)
            }
        }
        #expect(error?.kind == .cancelled)
        let job = try operations.carryOut(ListJobs()).items[0]
        #expect(job.state == .cancelled && job.isCancelled && job.operation == "subscribers.import")
        // Cancellation of the job was requested before, so another request changes nothing.
        #expect(try operations.carryOut(CancelJob(id: job.id)).state == .cancelled)
    }

    @Test func `an import whose body is in memory is a job, and passes on all rejected rows`() async throws {
        let rejected = Mutex<[RejectedRow]>([])
        let rows = (11...30).map { "\(TestInstance.token($0)),new\n" }.joined()
        let bad = String(repeating: "bad,row\n", count: 150)
        var upload = ImportSubscribers(app: "ios")
        upload.takeRejected = { rows in rejected.withLock { $0 += rows } }
        let job = try operations.waits.jobs.start(
            upload, type: "text/csv", body: Array("token,userKey\n\(rows)\(bad)".utf8), in: operations)
        let row = try await ended(job.id)
        #expect(row.state == .done)
        let result = JobView(row).result?.value
        #expect(result?["inserted"] == .integer(20) && result?["rejected"] == .integer(150))
        #expect(rejected.withLock { $0.map(\.line) } == Array(22...171))
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [23])
        #expect(throws: OperationError.self) {
            try operations.waits.jobs.start(
                ImportSubscribers(app: "none"), type: "text/csv", body: [], in: operations)
        }
    }

    @Test func `an import that fails reports how many rows it imported, and can be repeated`() async throws {
        let text =
            "registrationToken,userKey\n" + (11...30).map { "\(TestInstance.token($0)),new\n" }.joined()
        let error = await #expect(throws: OperationError.self) {
            var pieces = [Array(text.utf8)]
            _ = try await ImportSubscribers(app: "ios").perform(
                in: operations, .csv, fileName: "list.csv",
                read: { _ in
                    guard let piece = pieces.popLast() else { throw OperationError(.failed, "no more bytes") }
                    return piece
                }, reject: { _ in })
        }
        #expect(error?.lines.first == "no more bytes")
        #expect(
            error?.lines.last?.contains("at least 20 rows of the file were imported") == true,
            "\(String(describing: error))")
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [23])
    }

    @Test func `cancelling a job that has ended is refused, and so is cancelling an unknown job`()
        async throws
    {
        let job = try operations.waits.jobs.start(PurgeStore(), in: operations)
        _ = try await ended(job.id)
        for (id, kind) in [(job.id, OperationError.Kind.conflict), (99, .absent)] {
            let error = failure { () throws(OperationError) in _ = try operations.carryOut(CancelJob(id: id))
            }
            #expect(error?.kind == kind)
        }
        let absent = failure { () throws(OperationError) in _ = try operations.carryOut(ShowJob(99)) }
        #expect(absent?.kind == .absent)
    }

    @Test func `a job that cannot succeed is refused before it is created`() throws {
        let refused = failure { () throws(OperationError) in
            do {
                _ = try operations.waits.jobs.start(RetryFailed(id: DeliveryID(rawValue: 7)), in: operations)
            } catch {
                throw OperationError(error)
            }
        }
        #expect(refused?.kind == .absent)
        for name in ["a/b", ".hidden", "", ".."] {
            let backup = try BackUpStore.request(
                names: [:], query: [:], body: Array(#"{"name": "\#(name)"}"#.utf8))
            #expect(throws: OperationError.self) { try backup.check(in: operations) }
        }
        #expect(try operations.carryOut(ListJobs()).items.isEmpty)
    }

    @Test func `the remaining time is calculated from the average speed`() {
        #expect(RemainingTime.seconds(done: 25, total: 100, elapsedMilliseconds: 10_000) == 30)
        #expect(RemainingTime.seconds(done: 100, total: 100, elapsedMilliseconds: 10_000) == 0)
        #expect(RemainingTime.seconds(done: 0, total: 100, elapsedMilliseconds: 10_000) == nil)
        #expect(RemainingTime.seconds(done: 25, total: nil, elapsedMilliseconds: 10_000) == nil)
        #expect(RemainingTime.seconds(done: 25, total: 100, elapsedMilliseconds: 999) == nil)
    }
}
