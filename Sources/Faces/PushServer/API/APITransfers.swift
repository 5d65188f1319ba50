internal import Dispatch
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PushAPI
internal import PushWire

/// An executor that runs each task on a separate thread, because the tasks wait for the store.
private final class WaitingExecutor: TaskExecutor {
    static let shared = WaitingExecutor()
    private let queue = DispatchQueue(label: "transfers", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// A request or response whose body is streamed and not kept in memory.
enum APITransfer: Sendable {
    /// - Returns: The operation's job, after the job has ended.
    typealias Upload = @Sendable (APICall, _ type: String, _ total: Int?, BytePipe) async throws -> JobView
    typealias Download = @Sendable (APICall, _ type: String, BytePipe) async throws -> Void

    case upload(types: [String], about: String, Upload)
    case download(types: [String], check: @Sendable (APICall) throws -> Void, Download)

    static func upload<Use: PushAPI.Upload>(_ type: Use.Type, _ operation: Operation) -> Self {
        .upload(types: Use.bodyTypes, about: Use.bodyHelp) { call, type, total, pipe in
            let upload = try Use.request(operation, call)
            return try await call.operations.waits.jobs.perform(
                upload, type: type, total: total, in: call.operations, read: { try await pipe.read($0) })
        }
    }

    static func download<Use: PushAPI.Download>(_ type: Use.Type, _ operation: Operation) -> Self {
        .download(
            types: Use.answerTypes,
            check: { call in try Use.request(operation, call).check(in: call.operations) },
            { call, type, pipe in
                try await Use.request(operation, call).perform(in: call.operations, type: type) {
                    try await pipe.write($0)
                }
            })
    }
}

private struct TransferCutError: Error {}

/// A caller's slot, which the caller keeps until the response has been written or abandoned.
final class DownloadSlot: Sendable {
    private let executor: APIExecutor
    private let work: Operation.Work
    private let caller: String

    init(_ executor: APIExecutor, _ work: Operation.Work, _ caller: String) throws(APIProblem) {
        guard executor.enter(work, caller) else { throw APIProblem.tooManyRequests }
        (self.executor, self.work, self.caller) = (executor, work, caller)
    }

    deinit { executor.leave(work, caller) }
}

extension APIRoutes {
    /// The number of bytes that an uploading client must send within the time limit for a request. After that
    /// number of bytes, the time limit starts again.
    private static let minBytesInTime = 16 << 10

    /// Reads the body as fast as the operation consumes it.
    nonisolated(nonsending) func receive(
        _ request: Request, _ context: WebContext, _ call: APICall, as types: [String],
        _ upload: @escaping APITransfer.Upload
    ) async throws -> Response {
        let given = request.headers[.contentType]?.split(separator: ";").first.map {
            $0.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        let type = given ?? types[0]
        guard types.contains(type) else {
            throw APIProblem(
                .unsupportedMediaType, "Content-Type: must be \(types.joined(separator: " or "))")
        }
        let total = request.headers[.contentLength].flatMap { Int($0) }
        let pipe = BytePipe()
        let job = Task(executorPreference: WaitingExecutor.shared) {
            defer { pipe.abandon() }
            return try await upload(call, type, total, pipe)
        }
        let connection = try context.messageGuard
        var bytes = 0
        do {
            connection.limits.awaitsPiece()
            var (body, bytesInTime) = (request.body.makeAsyncIterator(), 0)
            while let buffer = try await body.next() {
                bytes += buffer.readableBytes
                bytesInTime += buffer.readableBytes
                // A client that sends byte by byte must not keep the connection open indefinitely.
                let isInTime = bytesInTime >= Self.minBytesInTime || pipe.isFull
                if isInTime { connection.limits.hasPiece() }
                try await pipe.write(Array(buffer.readableBytesView))
                if isInTime {
                    connection.limits.awaitsPiece()
                    bytesInTime = 0
                }
            }
            connection.limits.hasPiece()
            guard total.map({ $0 == bytes }) ?? !connection.isBodyCutOff else { throw TransferCutError() }
            pipe.finish()
        } catch {
            pipe.finish(
                OperationError.refused(
                    """
                    the body was cut off after \(bytes) bytes; the data processed before that remains \
                    stored, and GET /jobs reports its counts
                    """
                ))
        }
        let done = try await job.value
        return Self.whole(APIAnswer(done), status: 202).response
    }

    /// Writes the response as fast as the client reads it.
    nonisolated(nonsending) func send(
        _ request: Request, _ call: APICall, as types: [String], _ check: (APICall) throws -> Void,
        _ slot: DownloadSlot, _ download: @escaping APITransfer.Download
    ) async throws -> Response {
        let accepted = AcceptedTypes(request.headers[values: .accept])
        let type = types.dropFirst().first { accepted.prefer($0, to: types[0]) } ?? types[0]
        try check(call)
        let pipe = BytePipe()
        let work = Task(executorPreference: WaitingExecutor.shared) {
            do {
                try await download(call, type, pipe)
                pipe.finish()
            } catch {
                pipe.finish(error)
            }
        }
        return Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer {
                    withExtendedLifetime(slot) { pipe.abandon() }
                    work.cancel()
                }
                while case let piece = try await pipe.read(64 << 10), !piece.isEmpty {
                    try await writer.write(ByteBuffer(bytes: piece))
                }
                try await writer.finish(nil)
            })
    }
}
