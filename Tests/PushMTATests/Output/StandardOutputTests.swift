import Testing

struct StandardOutputTests {
    @Test(arguments: [
        ["service", "list"], ["subscribers", "export", "--app", "ios"], ["config", "show"], ["--version"],
    ])
    func `a command whose result cannot be written fails`(command: [String]) async throws {
        let workspace = try await Workspace.withApp()
        let finished = try await workspace.start(command, output: "/dev/full").finished()
        #expect(finished.status == 1)
        #expect(finished.errorLines.count == 1)
        #expect(finished.errors.contains("standard output"))
        #expect(finished.errors.contains("No space left on device"))
    }
}
