import Foundation
import TestSupport
import Testing

/// Tests the alarm for a nearly full disk with a real file system that only the test's processes can access.
struct DiskAlarmTests {
    /// The test runs in its own mount namespace. `$0` is the program. Each step waits until the program
    /// reports the expected text. The test ends a script that waits too long.
    private static let script = """
        mkdir -p var && mount -t tmpfs -o size=200m tmpfs var || exit 77
        "$0" run 2>log & service=$!
        until "$0" status --check >healthy 2>/dev/null && grep -q '^running' healthy; do sleep 0.1; done
        head -c 165000000 /dev/zero >var/others
        until "$0" status --check >low; test $? -eq 4; do sleep 0.1; done
        "$0" status >whole
        "$0" service create more || exit 1
        rm var/others
        until "$0" status --check >again; do sleep 0.1; done
        kill -TERM $service && wait $service
        """

    @Test func `a nearly full disk raises an alarm before the store becomes unwritable`() async throws {
        let workspace = try Workspace()
        let story = try RunningCommand(
            program: "/usr/bin/unshare",
            arguments: [
                "--mount", "--map-root-user", "sh", "-c", Self.script, try BuiltProgram().path,
            ], folder: workspace.folder, input: "", output: nil)
        let end = try await story.finished()
        // This test cannot run on a machine that does not allow mounting a file system.
        if end.status == 77 || end.errors.contains("unshare") { return }
        #expect(end.status == 0, "\(end.errors)")
        #expect(try workspace.text(of: "healthy").hasPrefix("running, process "))
        let alarm = try workspace.text(of: "low")
        #expect(
            alarm.hasPrefix("disk ") && alarm.contains("/var: ")
                && alarm.contains(
                    " of 209.7 MB are left for the store; if the disk is full, nothing is recorded"),
            "\(alarm)")
        #expect(try workspace.text(of: "whole").contains("nothing is recorded and nothing is sent"))
        #expect(try workspace.text(of: "again").hasPrefix("running, process "))
        let log = try workspace.text(of: "log")
        #expect(log.contains("level=error") && log.contains("/var is nearly full: "), "\(log)")
        #expect(log.contains("/var is no longer nearly full"))
        #expect(!log.contains("no space is left"))
    }
}
