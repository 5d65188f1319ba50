import CPushShims
import Foundation
import Glibc
import PushMaster
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    /// Spawns a shell in place of the program; its script is `argument`.
    private func withShell(_ script: String, _ story: (ChildProcess) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(forStore: folder + "/store")
            let child = try ChildProcess.spawn(
                ChildProcess.Order(executable: "/bin/sh", arguments: ["-c", script]), lock: lock)
            defer { close(child.link) }
            try story(child)
        }
    }

    @Test func `a child inherits its link and its lock file, and no other descriptor`() throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(forStore: folder + "/store")
            // Descriptors that the child would inherit if the spawn did not close them.
            let strays = (0..<3).map { _ in fcntl(STDERR_FILENO, F_DUPFD, 20) }
            defer { for stray in strays { close(stray) } }
            let child = try ChildProcess.spawn(Sleeper.order, lock: lock)
            defer { close(child.link) }
            // While the child starts, the loader opens libraries, and inherited descriptors would stay open.
            try eventually("it has two descriptors in addition to the standard ones") {
                let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.processID)/fd")
                return Set(names).subtracting(["0", "1", "2"]) == ["3", "4"]
            }
            func target(_ descriptor: Int) throws -> String {
                try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(child.processID)/fd/\(descriptor)")
            }
            #expect(try target(0) == "/dev/null")
            #expect(try target(3).hasPrefix("socket:"))
            #expect(try target(4) == folder + "/store.children")
            #expect(try !lock.childrenAreGone())
            _ = child.killAndReap()
            // The lock may not be released immediately: any other program that is being spawned has copies of
            // all open descriptors until its exec.
            eventually("the lock is free") { (try? lock.childrenAreGone()) == true }
        }
    }

    @Test func `the link is descriptor 3 of the child, in both directions`() throws {
        try withShell("until read line <&3; do sleep 0.01; done; echo \"received $line\" >&3") { child in
            #expect(unsafe push_send(child.link, "ping\n", 5) == 5)
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64)
            eventually("the child answered and ended") {
                let count = unsafe read(child.link, &buffer, buffer.count)
                if count > 0 { received += buffer[..<count] }
                return count == 0
            }
            #expect(String(decoding: received, as: UTF8.self) == "received ping\n")
            _ = child.killAndReap()
        }
    }

    @Test func `the master's end is non-blocking and is closed on exec`() throws {
        try withShell("exec sleep 1000") { child in
            var byte: UInt8 = 0
            #expect(unsafe read(child.link, &byte, 1) == -1)
            #expect(errno == EAGAIN)
            #expect(fcntl(child.link, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(child.link, F_GETFL) & O_NONBLOCK != 0)
            _ = child.killAndReap()
        }
    }

    @Test(arguments: [
        ("exit 0", "exit status 0", true), ("exit 3", "exit status 3", false),
        ("kill -9 $$", "signal 9", false),
    ])
    func `the end of a child is reported with the status from the kernel`(
        script: String, text: String, isClean: Bool
    )
        throws
    {
        try withShell(script) { child in
            waitForEnd(of: child)
            let status = child.killAndReap()
            #expect(status.description == text)
            #expect(status.isClean == isClean)
        }
    }

    @Test func `a running child can be killed and is reaped`() throws {
        try withShell("exec sleep 1000") { child in
            let status = child.killAndReap()
            #expect(status.description == "signal 9")
            // This process no longer has a child with that number.
            #expect(kill(child.processID, 0) == -1)
        }
    }

    @Test func `if the program is missing, the error names the program, and no descriptor stays open`() throws
    {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(forStore: folder + "/store")
            let path = folder + "/no-such-program"
            #expect(
                throws: MasterError.system(what: "start the child program", path: path, errorNumber: ENOENT)
            ) { try ChildProcess.spawn(ChildProcess.Order(executable: path, arguments: []), lock: lock) }
            eventually("the lock is free") { (try? lock.childrenAreGone()) == true }
            // The descriptor by which the test recognises the file.
            #expect(TemporaryFolder.openings(of: folder + "/store.children") == 1)
        }
    }

    /// Waits for the link's end, which indicates that the process has ended. Its status remains until it is
    /// reaped.
    private func waitForEnd(of child: ChildProcess) {
        var byte: UInt8 = 0
        eventually("the child ended") { unsafe read(child.link, &byte, 1) == 0 }
    }
}
