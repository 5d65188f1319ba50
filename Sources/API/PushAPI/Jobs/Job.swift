package import PushModel
package import PushStore
package import PushWire

/// An operation of many steps for which callers of the API do not wait. The answer is a job, which shows the
/// operation's progress and result and can be cancelled. A command performs the operation in its own process.
///
/// The members contain everything that the operation needs: after a crash, another process that uses the
/// store performs the operation again with these members, so performing it twice must be harmless.
package protocol Job: LongOperation, UseCase, Audited where Progress == JobProgress<Answer> {
    /// Refuses a request that cannot succeed, before a client receives a job.
    func check(in operations: Operations) throws
}

extension Job {
    package func check(in operations: Operations) throws {}
}

/// A job that reads its input from the body of its request while it runs. Such a job cannot be repeated.
package protocol Upload: UseCase, Audited {
    /// The media types of the body. The first one applies to a body without a type.
    static var bodyTypes: [String] { get }
    /// A description of the body.
    static var bodyHelp: String { get }
    /// Examples of the body, by media type.
    static var bodyExamples: [String: String] { get }

    /// Refuses a request that cannot succeed, before the body is read.
    func check(in operations: Operations) throws

    /// - Parameters:
    ///   - type: One of ``bodyTypes``.
    ///   - read: Returns the next bytes, at most the requested number; empty at the end.
    func perform(
        in operations: Operations, type: String, watchedBy watch: Watch<Answer>,
        read: @escaping (_ limit: Int) async throws -> [UInt8]
    ) async throws -> Answer
}

extension Upload {
    package func carryOut(by operations: Operations) throws(OperationError) -> Answer {
        throw OperationError(
            .usage, "\(Self.name) reads a body; send it to \(ServiceRequest.root)\(Self.operation.path)")
    }
}

/// A use case whose answer is too long to hold in memory.
package protocol Download: UseCase where Answer == String {
    /// The media types of the answer. The first one is used if a request accepts any type.
    static var answerTypes: [String] { get }
    /// Examples of the answer, by media type.
    static var answerExamples: [String: String] { get }

    /// Refuses a request that cannot succeed, before the answer begins.
    func check(in operations: Operations) throws

    /// - Parameters:
    ///   - type: One of ``answerTypes``.
    ///   - write: Receives the answer's bytes in order.
    func perform(
        in operations: Operations, type: String, write: ([UInt8]) async throws -> Void
    ) async throws
}

extension Download {
    package func carryOut(by operations: Operations) throws(OperationError) -> String {
        throw OperationError(.usage, "\(Self.operation.path) returns a stream; request it from there")
    }
}

/// The progress of an operation of many steps.
package struct JobProgress<Answer: Sendable>: Sendable {
    /// The work done so far, in the form of the result.
    package var result: Answer
    /// The number of completed units, such as bytes or messages.
    package var done: Int
    /// The total number of units; `nil` if it is unknown.
    package var total: Int?

    package init(_ result: Answer, done: Int, of total: Int?) {
        (self.result, self.done, self.total) = (result, done, total)
    }
}

/// A job, as callers see it.
package struct JobView: View, Equatable {
    package static let about = [
        "operation": "the name of the use case, as in the audit trail",
        "isCancelled": "whether a client has requested cancellation, which takes effect between two steps",
        "done": "completed units, such as bytes or messages",
        "total": "the total number of units; null if it is unknown",
        "remainingSeconds": "an estimate based on the speed so far; null if it is unknown",
        "result": "the results so far; after the end, the final result",
        "errors": "the reasons for the failure",
    ]

    package var id: Int64
    package var operation: String
    package var state: JobState
    package var isCancelled: Bool
    package var caller: String
    package var done: Int?
    package var total: Int?
    package var remainingSeconds: Int?
    package var result: JobResult?
    package var errors: [String]
    package var createdAt: WallMoment
    package var endedAt: WallMoment?

    /// The job's address, below the API's root.
    package var location: String { "\(JobRunner.path)/\(id)" }

    package init(_ row: JobRow) {
        (id, operation, caller) = (row.id, row.operation, row.caller)
        (state, isCancelled) = (row.state, row.isCancelled)
        let progress = row.progress.flatMap(StoredProgress.init)
        (done, total) = (progress?.done, progress?.total)
        remainingSeconds = row.ended == nil ? progress?.remainingSeconds(at: row.updated) : nil
        result = row.result.flatMap { try? JSONParser.parse(Array($0.utf8)) }.map(JobResult.init)
        errors = row.errors?.split(separator: "\n").map(String.init) ?? []
        (createdAt, endedAt) = (row.created, row.ended)
    }
}

extension JobState: Codable, Word {
    package var word: String { "\(self)" }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

/// The result of a job, in the form of its operation's answer.
package struct JobResult: Described, Codable, Equatable {
    package var value: JSONValue

    package static var schema: Schema { .oneOf(UseCases.jobs.map { $0.answerSchema }) }
    package static var sample: Self? { example.map { JobResult(value: $0) } }
    package static var example: JSONValue? { ErasedSubscribers.example }
    package var json: JSONValue? { value }
    package var text: String { value.text }

    init(value: JSONValue) { self.value = value }
    package init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A job's progress as it is stored.
struct StoredProgress {
    var done: Int
    var total: Int?
    /// The time at which the job began to run.
    var startedMilliseconds: Int64

    init(done: Int, total: Int?, startedMilliseconds: Int64) {
        (self.done, self.total, self.startedMilliseconds) = (done, total, startedMilliseconds)
    }

    init?(_ text: String) {
        let numbers = text.split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 3, let done = Int(numbers[0]), let started = Int64(numbers[2]) else {
            return nil
        }
        self.init(done: done, total: Int(numbers[1]), startedMilliseconds: started)
    }

    var text: String { "\(done) \(total.map(String.init) ?? "") \(startedMilliseconds)" }

    func remainingSeconds(at moment: WallMoment) -> Int? {
        // When all units of a body have been read, its contents must still be written. The units do not
        // measure how long the writing takes.
        if let total, done >= total { return nil }
        return RemainingTime.seconds(
            done: done, total: total, elapsedMilliseconds: moment.millisecondsSince1970 - startedMilliseconds)
    }
}

/// The estimated remaining duration of an operation, provided that the operation keeps its average speed.
package enum RemainingTime {
    package static func seconds(done: Int, total: Int?, elapsedMilliseconds: Int64) -> Int? {
        guard let total, done > 0, elapsedMilliseconds >= 1_000 else { return nil }
        let perUnit = Double(elapsedMilliseconds) / Double(done)
        return Int((perUnit * Double(max(0, total - done)) / 1_000).rounded(.up))
    }
}

extension UseCases {
    package static let jobs: [any UseCase.Type] = all.filter { $0 is any Job.Type || $0 is any Upload.Type }
}

extension UseCase {
    fileprivate static var answerSchema: Schema { Answer.schema }
}

extension JSONValue {
    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
