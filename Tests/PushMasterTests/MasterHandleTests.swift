import Foundation
import Glibc
import PushMaster
import PushModel
import PushStore
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

/// Tests the master from the point of view of other services in its process.
@Suite struct MasterHandleTests {
    private static let idle = StandInChild.program(first: ":")

    private func serve(
        _ fixture: MasterFixture, _ watcher: (any ServiceWatcher)? = nil,
        _ story: (MasterHandle) throws -> Void
    ) throws -> [String] {
        try StandInChild.write([MessageID](), to: fixture.folder)
        return try StandInChild.serve(fixture, program: Self.idle, watchedBy: watcher) { handle, _ in
            try story(handle)
        }
    }

    @Test func `the handle returns status, forwards notifications and ends the service`() throws {
        try MasterFixture.with { fixture in
            let log = try serve(fixture) { handle in
                eventually("it runs") { handle.status().state == "running" }
                let app = try fixture.app("one", subscribers: 3)
                let delivery = try fixture.submit(app)
                // The master polls only every 30 s, which is as long as `eventually` waits.
                handle.wakeUp()
                try eventually("it is prepared") { try fixture.counts(delivery).pending == 3 }
                #expect(handle.status().ageSeconds < 60)
            }
            #expect(log.last?.hasSuffix("stopped") == true)
        }
    }

    /// The activity of a service on its socket, which is recorded for the test.
    private final class SocketWatcher: ServiceWatcher {
        private let seen = Mutex<[String]>([])
        var steps: [String] { seen.withLock(\.self) }
        private func note(_ step: String) { seen.withLock { $0.append(step) } }

        func reachable(on socket: Int32) throws {
            var listens: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            unsafe getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size)
            note("reachable \(listens)")
        }
        func leaving() { note("leaving") }
        func waiting(for what: String) { note("waiting") }
        func serving() { note("serving") }
        func alive() {}
        func stopping() { note("stopping") }
        func restarting() {}
    }

    @Test func `other processes can reach the master before it serves, and until its loop has ended`() throws
    {
        try MasterFixture.with { fixture in
            let watcher = SocketWatcher()
            let path = LocalSocket.path(forStore: fixture.store.path)
            let kept = Mutex<MasterHandle?>(nil)
            _ = try serve(fixture, watcher) { handle in
                eventually("it runs") { watcher.steps.contains("serving") }
                #expect(FileManager.default.fileExists(atPath: path))
                for number in 1...2 {
                    handle.noteOperation()
                    #expect(handle.status().operations == number)
                }
                kept.withLock { $0 = handle }
            }
            #expect(watcher.steps == ["reachable 1", "serving", "stopping", "leaving"])
            #expect(!FileManager.default.fileExists(atPath: path))
            // No caller waits for a loop that has ended.
            #expect(try #require(kept.withLock { $0 }).status().state == "draining")
        }
    }

    @Test
    func `a master that waits for an earlier master's children reports this immediately and can be ended`()
        throws
    {
        try MasterFixture.with { fixture in
            let child: Int32
            do {
                let earlier = try InstanceLock(forStore: fixture.store.path)
                child = try earlier.sharedLockForChild()
            }
            defer { close(child) }
            let log = try serve(fixture) { handle in
                eventually("it waits") { handle.status().waitsFor != nil }
                let status = handle.status()
                #expect(status.state == "starting")
                #expect(status.waitsFor?.contains("children of an earlier master") == true)
            }
            #expect(log.last?.contains("stopped before the service was ready") == true)
        }
    }

    @Test func `an unused account no longer appears in status`() throws {
        try MasterFixture.with { fixture in
            let (kept, deleted) = (
                try fixture.app("kept", identity: "a"), try fixture.app("deleted", identity: "b")
            )
            let changed = try fixture.app("changed", identity: "c")
            _ = try serve(fixture) { handle in
                eventually("all accounts") { handle.status().accounts.count == 3 }
                let writer = fixture.store.catalogueWriter(key: fixture.key)
                try writer.deleteApp(deleted.id, at: Clocks.moment(), pause: {})
                var settings = changed.settings
                settings.credentialIdentity = kept.settings.credentialIdentity
                _ = try writer.updateApp(changed.id, to: settings, credential: nil)
                eventually("only one is left") {
                    handle.status().accounts.map(\.name) == ["stub production a"]
                }
            }
        }
    }

    @Test func `log lines name the app`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", identity: "one")
            let lines = try serve(fixture) { handle in
                eventually("its account") { handle.status().accounts.count == 1 }
                var settings = app.settings
                settings.credentialIdentity = "two"
                _ = try fixture.store.catalogueWriter(key: fixture.key).updateApp(
                    app.id, to: settings, credential: nil)
                eventually("its new account") {
                    handle.status().accounts.map(\.name) == ["stub production two"]
                }
            }
            #expect(
                lines.contains {
                    $0.hasSuffix("app one was changed: it now uses account stub production two (app one)")
                },
                "\(lines)")
        }
    }

    @Test func `after a change that concerns no gateway, the log names the account without a trailing space`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", identity: "")
            try StandInChild.write([MessageID](), to: fixture.folder)
            let line = "app one was changed: it still uses account stub production (app one)"
            _ = try StandInChild.serve(fixture, program: Self.idle, watchedBy: nil) { handle, log in
                eventually("its account") { handle.status().accounts.map(\.name) == ["stub production"] }
                var settings = app.settings
                settings.parameters = [ParameterDeclaration(name: "city", kind: .text)]
                _ = try fixture.store.catalogueWriter(key: fixture.key).updateApp(
                    app.id, to: settings, credential: nil)
                eventually("the line") { log().contains { $0.hasSuffix(line) } }
            }
        }
    }
}
