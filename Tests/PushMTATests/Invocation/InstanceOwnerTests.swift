import Foundation
import Glibc
import TestSupport
import Testing

/// An instance that belongs to one user, and commands of another.
@Suite(.enabled(if: geteuid() == 0, "only root may be two users")) struct InstanceOwnerTests {
    private static let nobody: uid_t = 65_534

    /// The program as another user may execute it, and the folder as that user's.
    private static func workplace() async throws -> Workplace {
        let workplace = try Workplace()
        let program = workplace.path("pushmta")
        // By another process: one that is started meanwhile would have this one's copy open for writing.
        let copy = try await RunningCommand(
            program: "/usr/bin/cp", arguments: [try BuiltProgram().path, program], folder: workplace.folder,
            input: "", output: nil
        ).finished()
        try #require(copy.status == 0, "\(copy.errors)")
        for name in [workplace.folder.path(percentEncoded: false), program, workplace.path("serverConf.xml")]
        {
            try #require(unsafe chmod(name, 0o755) == 0 && chown(name, nobody, nobody) == 0)
        }
        return workplace
    }

    private static func run(_ arguments: [String], in workplace: Workplace) async throws -> Finished {
        try await RunningCommand(
            program: "/usr/bin/setpriv",
            arguments: [
                "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", workplace.path("pushmta"),
            ]
                + arguments, folder: workplace.folder, input: "", output: nil
        ).finished()
    }

    @Test func `root makes nothing in another user's instance, and is told how to go on`() async throws {
        let workplace = try await Self.workplace()
        try #require(unsafe mkdir(workplace.path("var"), 0o700) == 0)
        try #require(unsafe chown(workplace.path("var"), Self.nobody, Self.nobody) == 0)
        for command in [["service", "create", "shop"], ["run"], ["start"], ["status"]] {
            let finished = try await workplace.run(command)
            #expect(finished.status == 1 && finished.errorLines.count == 1, "\(command)")
            #expect(
                finished.errors.contains("belongs to nobody")
                    && finished.errors.contains("sudo -u nobody pushmta"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: workplace.path("var")).isEmpty)
        #expect(try await workplace.run("config", "show").status == 0)
        #expect(try await Self.run(["service", "create", "shop"], in: workplace).status == 0)
    }

    @Test func `who cannot open what root made is told whose it is and what to do`() async throws {
        let workplace = try await Self.workplace()
        try await workplace.succeed("service", "create", "shop")
        let run = try await Self.run(["run"], in: workplace)
        #expect(run.status == 1 && run.errorLines.count == 1)
        #expect(run.errors.contains("belongs to root, and this process is nobody"), "\(run.errors)")
        #expect(run.errors.contains("as root, chown -R nobody \(workplace.path("var"))"), "\(run.errors)")
    }
}
