import Foundation
import PushStore
import Testing

/// The database engine that a story is told on.
enum TestEngine: String, CaseIterable {
    case sqlite, postgreSQL

    /// Of ``TemporaryStore`` in this task.
    @TaskLocal static var current = TestEngine.sqlite
}

/// Tells each story of a suite once on every engine. Where there is no PostgreSQL, that is said, and where
/// tests are run for others (`CI` in the environment) it is a failure.
struct EachEngine: SuiteTrait, TestTrait, TestScoping {
    var engines = TestEngine.allCases
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for engine in engines {
            if engine == .postgreSQL, TemporaryCluster.shared == nil {
                if ProcessInfo.processInfo.environment["CI"] != nil {
                    Issue.record("there is no PostgreSQL here")
                }
                continue
            }
            try await TestEngine.$current.withValue(engine) { try await function() }
        }
    }
}

extension Trait where Self == EachEngine {
    static var eachEngine: EachEngine { EachEngine() }
    static var onPostgreSQL: EachEngine { EachEngine(engines: [.postgreSQL]) }
}
