import CPushShims
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the notifications to a service manager, with real datagrams.
struct ServiceManagerTests {
    /// Receives the notifications of a service, as systemd would.
    private final class Manager {
        let path: String
        private let descriptor: Int32
        private(set) var said: [String] = []

        init(in workspace: Workspace) throws {
            path = workspace.path("notify")
            descriptor = unsafe push_unix_datagram_listen(path)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func receives(_ words: String) async throws {
            try await eventually("the service sends \(words)") {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while case let count = unsafe recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                    said.append(String(decoding: buffer[..<count], as: UTF8.self))
                }
                return said.contains { $0.contains(words) }
            }
        }
    }

    @Test
    func `the service manager is notified of readiness, of each sign of life, of a reload and of the end`()
        async throws
    {
        let workspace = try Workspace()
        let manager = try Manager(in: workspace)
        let service = try workspace.start(
            ["run"], environment: ["NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=30000000"])
        do {
            try await manager.receives("READY=1")
            try await service.waitForOutput("serving")
            try await manager.receives("WATCHDOG=1")
            service.signal(SIGHUP)
            try await manager.receives("RELOADING=1\nMONOTONIC_USEC=")
            try await eventually("it is ready again") {
                try await manager.receives("READY=1")
                return manager.said.count { $0.contains("READY=1") } == 2
            }
            service.signal(SIGTERM)
            try await manager.receives("STOPPING=1")
        } catch {
            service.signal(SIGKILL)
            throw error
        }
        #expect(try await service.finished().status == 0)
    }

    @Test func `the service serves even if there is no service manager`() async throws {
        let workspace = try Workspace()
        let service = try workspace.start(["run"], environment: ["NOTIFY_SOCKET=/nowhere/at/all"])
        try await service.waitForOutput("serving")
        service.signal(SIGTERM)
        #expect(try await service.finished().status == 0)
    }

    @Test func `SIGHUP before the service is ready ends no process, however often it arrives`() async throws {
        let workspace = try Workspace()
        let service = try workspace.start(["run"])
        // Before this, the process has not executed this program yet, or the program has not done anything.
        try await eventually("it takes signals") {
            let status = try String(contentsOfFile: "/proc/\(service.processID)/status", encoding: .utf8)
            let blocked = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }?.split(
                separator: "\t")
            return blocked?.last.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 == 1 } ?? false
        }
        for _ in 1...2 { service.signal(SIGHUP) }
        try await service.waitForOutput("serving")
        service.signal(SIGTERM)
        #expect(try await service.finished().status == 0)
    }

    @Test func `two termination signals count as one, and a signal takes effect in every phase`() async throws
    {
        let workspace = try Workspace()
        for number in [SIGTERM, SIGINT] {
            let service = try workspace.start(["run"])
            try await service.waitForOutput("serving")
            service.signal(SIGHUP)
            service.signal(number)
            service.signal(number)
            service.signal(SIGHUP)
            #expect(try await service.finished().status == 0)
        }
    }
}
