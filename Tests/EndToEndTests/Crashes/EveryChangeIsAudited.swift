import Testing
import pushload

extension EndToEnd.Crashes {
    /// The master executes the commands, and its commits contain their log lines.
    @Test func `an answered change has a line in the audit trail, even if the master is killed`() async throws
    {
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(10))
            let changes: [(command: [String], line: String)] = [
                (["service", "create", "other"], "service.create other"),
                (["service", "update", "other", "--label", "Other"], "service.update other"),
                (["app", "update", Testbed.app, "--label", "Neo"], "app.update \(Testbed.app)"),
                (["token", "create", "billing", "--scope", "send"], "token.create billing: send"),
                (["user", "create", "anna", "--role", "viewer"], "user.create anna: viewer"),
                (["service", "delete", "other"], "service.delete other"),
                (["reload"], "engine.reload"),
            ]
            for change in changes {
                try await testbed.startEngine()
                try await testbed.succeed(change.command)
                _ = try await testbed.killMaster()
                let trail = try await testbed.succeed(["audit", "--limit", "1"]).output
                let words = trail.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(words.contains(change.line) && words.contains("(command)"), "\(trail)")
            }
        }
    }
}
