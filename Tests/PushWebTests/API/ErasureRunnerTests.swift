import PushModel
import PushOperations
import PushStore
import PushWeb
import Synchronization
import TestSupport
import Testing

/// How a request to erase a person is answered when that takes long.
@Suite struct ErasureRunnerTests {
    private final class Answers: Sendable {
        private let all = Mutex<[(answer: Result<ErasureRunner.Answer, any Error>, isNew: Bool)]>([])

        @Sendable func add(_ answer: Result<ErasureRunner.Answer, any Error>, _ isNew: Bool) {
            all.withLock { $0.append((answer, isNew)) }
        }

        /// In words, in the order in which they came.
        var words: [String] {
            all.withLock { answers in
                answers.map { answer, isNew in
                    let word =
                        switch answer {
                        case .success(.running): "running"
                        case .success(.done(let done)): "done \(done.removed)"
                        case .failure(let error): "\((error as? OperationError)?.kind.rawValue ?? "error")"
                        }
                    return isNew ? "\(word), begun" : word
                }
            }
        }
    }

    @Test func `an erasure that takes long is answered with its progress, and at last with its result`()
        async throws
    {
        try await WebFixture.with { web in
            _ = try web.operations.carryOut(CreateService(name: "shop", label: "Shop"))
            _ = try web.operations.carryOut(
                CreateApp(
                    name: "shop-ios", service: "shop", platform: .ios, integrationKey: "key",
                    connector: "stub",
                    environment: .production, bundleId: "com.example.shop"))
            let app = try #require(try web.store.catalogue.app(named: "shop-ios"))
            let anna = SubscriberRecord(
                token: String(repeating: "a1", count: 32), userKey: "anna", parametersJSON: nil)
            _ = try web.store.subscriberImporter.upsert([anna], into: app.id, at: WebFixture.noon)

            let runner = ErasureRunner(patienceSeconds: 0.05)
            let answers = Answers()
            web.hanging.withLock { _ in
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the first answer") { answers.words == ["running, begun"] }
                runner.erase(.userKey("bert"), in: web.operations, then: answers.add)
                eventually("the second answer") { answers.words.last == "unavailable" }
                runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                eventually("the third answer") { answers.words.last == "running" }
            }
            // The result waits for whoever asks, however long ago it came.
            var asked = 3
            eventually("the result") {
                if answers.words.last == "done 1" { return true }
                if answers.words.count == asked {
                    runner.erase(.userKey("anna"), in: web.operations, then: answers.add)
                    asked += 1
                }
                return false
            }
            runner.erase(.userKey("bert"), in: web.operations, then: answers.add)
            eventually("the next person") { answers.words.last == "failed, begun" }
        }
    }
}
