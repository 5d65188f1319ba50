import Foundation
import PushStore
import Testing

/// The database engine on which a story runs.
enum TestEngine: String, CaseIterable {
    case sqlite, postgreSQL

    /// The engine of ``TemporaryStore`` in this task.
    @TaskLocal static var current = TestEngine.sqlite
}

/// Runs each story of a suite once on every engine. If PostgreSQL is not installed, that is reported, and it
/// is a failure in automated runs (`CI` in the environment).
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
