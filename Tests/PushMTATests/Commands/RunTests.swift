import Testing

/// What `run` says before any master runs. What a running one does is told by the end-to-end tests.
struct RunTests {
    @Test func `where nothing is to be started it says so`() async throws {
        let workplace = try Workplace(configuration: Workplace.configuration(mta: #"autoStart="false""#))
        let run = try await workplace.run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("autoStart"))
        #expect(!workplace.exists("var"))
    }

    @Test func `without a configuration it does not start`() async throws {
        let run = try await Workplace(configuration: nil).run("run")
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
    }
}
