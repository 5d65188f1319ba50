import Testing

/// Tests the output of `run` before a master is running. The end-to-end tests cover a running master.
struct RunTests {
    @Test func `run reports a configuration that starts no service`() async throws {
        let workspace = try Workspace(configuration: Workspace.configuration(mta: #"autoStart="false""#))
        let run = try await workspace.run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("autoStart"))
        #expect(!workspace.exists("var"))
    }

    @Test func `run does not start without a configuration`() async throws {
        let run = try await Workspace(configuration: nil).run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
    }
}
