import PushModel
import PushOperations
import PushStore
import PushWeb
import Synchronization
import TestRequests
import TestSupport
import Testing

/// How a request to erase a person is answered when that takes long.
@Suite struct ErasureRunnerTests {
    private final class Answers: Sendable {
        private let all = Mutex<[Result<ErasureRunner.Answer, any Error>]>([])

        @Sendable func add(_ answer: Result<ErasureRunner.Answer, any Error>) {
            all.withLock { $0.append(answer) }
        }

        /// In words, in the order in which they came.
        var words: [String] {
            all.withLock { answers in
                answers.map { answer in
                    switch answer {
                    case .success(.running): "running"
                    case .success(.done(let done)): "done \(done.removed)"
                    case .failure(let error): "\((error as? OperationError)?.kind.rawValue ?? "error")"
                    }
                }
            }
        }
    }

    private static func withApp(_ story: (WebFixture) async throws -> Void) async throws {
        try await WebFixture.with { web in
            _ = try web.operations.carryOut(CreateService(name: "shop", label: "Shop"))
            _ = try web.operations.carryOut(
                CreateApp(
                    name: "shop-ios", service: "shop", platform: .ios, integrationKey: "key",
                    connector: "stub",
                    environment: .production, bundleId: "com.example.shop"))
            try await story(web)
        }
    }

    /// Registers devices of `anna`.
    private static func register(_ numbers: ClosedRange<Int>, in web: WebFixture) throws {
        let app = try #require(try web.store.catalogue.app(named: "shop-ios"))
        let devices = numbers.map {
            SubscriberRecord(
                token: String(repeating: "a\($0)", count: 32), userKey: "anna", parametersJSON: nil)
        }
        _ = try web.store.subscriberImporter.upsert(devices, into: app.id, at: WebFixture.noon)
    }

    private static func devices(in web: WebFixture) throws -> Int {
        do { return try web.operations.everySubscriber(.userKey("anna")).count } catch {
            #expect(error.kind == .noMatch)
            return 0
        }
    }

    /// Begins an erasure of `anna`, whose result nobody has received when this returns.
    private static func leaveResult(of runner: ErasureRunner, _ answers: Answers, in web: WebFixture) {
        web.hanging.withLock { _ in
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            eventually("the first answer") { answers.words == ["running"] }
        }
        eventually("the erasure has ended") { !runner.isRunning }
    }

    @Test func `an erasure that takes long is answered with its progress, and at last with its result`()
        async throws
    {
        try await Self.withApp { web in
            try Self.register(1...1, in: web)
            let runner = ErasureRunner(patienceSeconds: 0.05)
            let answers = Answers()
            web.hanging.withLock { _ in
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the first answer") { answers.words == ["running"] }
                runner.erase(.userKey("bert"), in: web.operations, then: answers.add)
                eventually("the second answer") { answers.words.last == "unavailable" }
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the third answer") { answers.words.last == "running" }
            }
            eventually("the erasure has ended") { !runner.isRunning }
            // The result waits a while for the client that repeats its request, and is told once.
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            eventually("the result") { answers.words.last == "done 1" }
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            eventually("another erasure") { answers.words.last == "noMatch" }
            runner.erase(.userKey("bert"), in: web.operations, then: answers.add)
            eventually("the next person") {
                answers.words.count == 6 && answers.words.last == "noMatch"
            }
        }
    }

    @Test func `the result of an erasure is no answer for devices that were registered after it`()
        async throws
    {
        try await Self.withApp { web in
            try Self.register(1...1, in: web)
            let (runner, answers) = (ErasureRunner(patienceSeconds: 0.05), Answers())
            Self.leaveResult(of: runner, answers, in: web)
            try Self.register(2...3, in: web)
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            eventually("the second answer") { answers.words.count == 2 }
            eventually("the second erasure has ended") { !runner.isRunning }
            #expect(["running", "done 2"].contains(answers.words[1]), "\(answers.words)")
            #expect(try Self.devices(in: web) == 0)
        }
    }

    @Test func `an erasure that another request joined covers devices that were registered meanwhile`()
        async throws
    {
        try await Self.withApp { web in
            try Self.register(1...1, in: web)
            let (runner, answers) = (ErasureRunner(patienceSeconds: 0.05), Answers())
            try web.hanging.withLock { _ in
                // It has found the first device, and hangs before it erases it.
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the first answer") { answers.words == ["running"] }
                try Self.register(2...3, in: web)
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the second answer") { answers.words == ["running", "running"] }
            }
            eventually("the erasure has ended") { !runner.isRunning }
            #expect(try Self.devices(in: web) == 0)
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            eventually("the result") { answers.words.last == "done 3" }
        }
    }

    @Test func `a result, also a failure, is kept for a short time only`() async throws {
        try await Self.withApp { web in
            try Self.register(1...1, in: web)
            let (runner, answers) = (ErasureRunner(patienceSeconds: 0.05, keptTime: .zero), Answers())
            Self.leaveResult(of: runner, answers, in: web)
            runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
            // Nothing is left to be erased: it did search.
            eventually("the second answer") { answers.words.last == "noMatch" }
        }
    }
}
