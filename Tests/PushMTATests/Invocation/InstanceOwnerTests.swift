import Foundation
import Glibc
import TestSupport
import Testing

/// Tests commands from one user on an instance that belongs to another user.
@Suite(.enabled(if: geteuid() == 0, "only root may be two users")) struct InstanceOwnerTests {
    private static let nobody: uid_t = 65_534

    /// Creates a copy of the program that another user can execute, and a folder owned by that user.
    private static func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        let program = workspace.path("pushmta")
        // Another process makes the copy: a program that is spawned meanwhile would otherwise have this
        // process's copy open for writing.
        let copy = try await RunningCommand(
            program: "/usr/bin/cp", arguments: [try BuiltProgram().path, program], folder: workspace.folder,
            input: "", output: nil
        ).finished()
        try #require(copy.status == 0, "\(copy.errors)")
        for name in [workspace.folder.path(percentEncoded: false), program, workspace.path("serverConf.xml")]
        {
            try #require(unsafe chmod(name, 0o755) == 0 && chown(name, nobody, nobody) == 0)
        }
        return workspace
    }

    private static func run(_ arguments: [String], in workspace: Workspace) async throws -> Finished {
        try await RunningCommand(
            program: "/usr/bin/setpriv",
            arguments: [
                "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", workspace.path("pushmta"),
            ]
                + arguments, folder: workspace.folder, input: "", output: nil
        ).finished()
    }

    @Test func `root creates nothing in another user's instance, and is shown which command to use`()
        async throws
    {
        let workspace = try await Self.workspace()
        try #require(unsafe mkdir(workspace.path("var"), 0o700) == 0)
        try #require(unsafe chown(workspace.path("var"), Self.nobody, Self.nobody) == 0)
        for command in [["service", "create", "shop"], ["run"], ["start"], ["status"]] {
            let finished = try await workspace.run(command)
            #expect(finished.status == 1 && finished.errorLines.count == 1, "\(command)")
            #expect(
                finished.errors.contains("belongs to nobody")
                    && finished.errors.contains("sudo -u nobody pushmta"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path("var")).isEmpty)
        #expect(try await workspace.run("config", "show").status == 0)
        #expect(try await Self.run(["service", "create", "shop"], in: workspace).status == 0)
    }

    @Test func `a user of another user's instance learns which command to use, and no chown`() async throws {
        let workspace = try await Self.workspace()
        let (folder, owner) = (workspace.path("var"), uid_t(1))
        try #require(unsafe mkdir(folder, 0o700) == 0 && chown(folder, owner, owner) == 0)
        for command in [["status"], ["service", "create", "shop"], ["run"]] {
            let finished = try await Self.run(command, in: workspace)
            #expect(finished.status == 1, "\(command)")
            #expect(finished.errors.contains("run the command as that user: sudo -u "), "\(finished.errors)")
            #expect(!finished.errors.contains("chown"), "\(finished.errors)")
        }
        let check = try await Self.run(["config", "check"], in: workspace)
        #expect(!(check.output + check.errors).contains("the instance folder"), "\(check.output)")
    }

    @Test func `a user who cannot open files that root owns is shown their owner and the remedy`()
        async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.succeed("service", "create", "shop")
        let run = try await Self.run(["run"], in: workspace)
        #expect(run.status == 1 && run.errorLines.count == 1)
        #expect(run.errors.contains("belongs to root, but this process runs as nobody"), "\(run.errors)")
        #expect(run.errors.contains("as root, run chown -R nobody \(workspace.path("var"))"), "\(run.errors)")
        #expect(run.errors.contains("if root created the folder by mistake and no service uses it"))
    }
}
