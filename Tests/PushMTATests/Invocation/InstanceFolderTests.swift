import Foundation
import Glibc
import PushSystem
import TestSupport
import Testing

/// Tests an instance whose folder other users can write to.
struct InstanceFolderTests {
    @Test func `a warning names the other users who can write to a folder`() throws {
        try TemporaryFolder.with { folder in
            func writers(_ mode: mode_t) -> String? {
                #expect(unsafe chmod(folder, mode) == 0)
                return FolderAccess.otherWriters(of: folder)
            }
            #expect(writers(0o700) == nil && writers(0o755) == nil)
            #expect(writers(0o707) == "everyone" && writers(0o1777) == "everyone")
            #expect(FolderAccess.otherWriters(of: folder + "/nothing") == nil)
            guard geteuid() == 0 else { return }
            // Root's group is never a problem, but members of another group are.
            #expect(writers(0o770) == nil)
            #expect(unsafe chown(folder, 0, 1) == 0)
            #expect(writers(0o770)?.hasPrefix("group ") == true)
            #expect(unsafe chown(folder, 65_534, 0) == 0)
            #expect(writers(0o700) == "user nobody")
            #expect(FolderAccess.otherWriters(of: folder, ownerServes: true) == nil)
        }
    }

    @Test func `a starting service and config check warn about an instance folder that others can write to`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        #expect(try await !workspace.succeed("config", "check").output.contains("instance folder"))
        #expect(unsafe chmod(workspace.path("var"), 0o777) == 0)
        let check = try await workspace.succeed("config", "check")
        #expect(
            check.output.contains(
                "warning: the instance folder \(workspace.path("var")) is writable by everyone"))
        #expect(check.output.contains("chmod go-w"))
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let lines = try master.errorsSoFar().split(separator: "\n")
            #expect(
                lines.contains { $0.contains("level=warning") && $0.contains("is writable by everyone") })
        }
    }
}
