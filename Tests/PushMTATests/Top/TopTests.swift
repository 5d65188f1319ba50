import Testing

struct TopTests {
    @Test func `without a terminal, top prints one line that states which command to use`() async throws {
        let finished = try await Workspace().run("top")
        #expect(finished.status == 2 && finished.output.isEmpty)
        #expect(finished.errorLines.count == 1 && finished.errors.contains("'pushmta status --json'"))
    }

    @Test(arguments: ["0", "0.1", "4000", "-1", "x"])
    func `an invalid interval is refused`(interval: String) async throws {
        let finished = try await Workspace().run("top", "--interval=\(interval)")
        #expect(finished.status == 2 && finished.output.isEmpty)
        #expect(finished.errors.contains("'--interval <seconds>': must be a number from 0.25 to 3600.0"))
    }
}
