import Foundation
import PushStore
import Testing

/// The database on which a test runs.
enum TestEngine: String, CaseIterable {
    case sqlite, postgreSQL

    /// The database of ``TemporaryStore`` in this task.
    @TaskLocal static var current = TestEngine.sqlite
}

/// Runs each test in a suite once on every database. If PostgreSQL is not installed, this is reported, and it
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
                    Issue.record("PostgreSQL is not installed; run 'sudo apt-get install postgresql'")
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
