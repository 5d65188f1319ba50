import Foundation
package import Testing

/// The database on which a test runs.
package enum TestEngine: String, CaseIterable, Sendable {
    case sqlite, postgreSQL

    /// The database of the stores that are created in this task.
    @TaskLocal package static var current = TestEngine.sqlite
}

/// Runs each test in a suite, or one test, once on every database. If PostgreSQL is not installed, its run is
/// left out, which is a failure in automated runs (`CI` in the environment).
package struct EachEngine: SuiteTrait, TestTrait, TestScoping {
    private let engines: [TestEngine]
    private let hasPostgreSQL: @Sendable () -> Bool
    package var isRecursive: Bool { true }

    /// - Parameter hasPostgreSQL: Reports whether tests can use a PostgreSQL server on this machine.
    package init(
        _ engines: [TestEngine] = TestEngine.allCases, hasPostgreSQL: @escaping @Sendable () -> Bool
    ) {
        (self.engines, self.hasPostgreSQL) = (engines, hasPostgreSQL)
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for engine in engines {
            guard engine == .postgreSQL else {
                try await TestEngine.$current.withValue(engine) { try await function() }
                continue
            }
            guard hasPostgreSQL() else {
                if ProcessInfo.processInfo.environment["CI"] != nil {
                    Issue.record("PostgreSQL is not installed; run 'sudo apt-get install postgresql'")
                }
                continue
            }
            try await Self.naming.provideScope(for: test, testCase: testCase) {
                try await TestEngine.$current.withValue(engine) { try await function() }
            }
        }
    }

    private static var naming: IssueHandlingTrait {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("with the store on PostgreSQL")
            return issue
        }
    }
}
