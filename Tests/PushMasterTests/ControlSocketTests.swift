import CPushShims
import Foundation
import Glibc
import Synchronization
import Testing

import PushMaster
import PushWire

@Suite struct ControlSocketTests {
    private static let answer = Data(
        """
        {"pid": 1, "uptimeSeconds": 2, "state": "running", "unrecorded": 3, "waitingRanges": 4, "children": [],
         "accounts": [{"name": "stub", "state": "open", "reason": ""}]}
        """.utf8)
    private static var status: MasterStatus { get throws { try JSONDecoder().decode(MasterStatus.self, from: answer) } }

    /// A master's socket, served on a thread of its own as the loop would, with what it was asked.
    private final class Server: Sendable {
        let requests = Mutex<[ControlSocket.Request]>([])
        private let isStopping = Mutex(false)
        private let thread: Mutex<OtherThread?> = Mutex(nil)

        init(_ path: String) throws {
            let ready = DispatchSemaphore(value: 0)
            let failure = Mutex<(any Error)?>(nil)
            let thread = OtherThread { [self] in
                do {
                    let socket = try ControlSocket(besideStore: path)
                    ready.signal()
                    while !isStopping.withLock({ $0 }) { turn(socket) }
                } catch {
                    failure.withLock { $0 = error }
                    ready.signal()
                }
            }
            self.thread.withLock { $0 = thread }
            ready.wait()
            if let error = failure.withLock({ $0 }) { throw error }
        }

        private func turn(_ socket: ControlSocket) {
            var item = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&item, 1, 10) == 1 else { return }
            socket.serve { request in
                requests.withLock { $0.append(request) }
                return request == .status ? Array(ControlSocketTests.answer) : []
            }
        }

        func stop() {
            isStopping.withLock { $0 = true }
            #expect(thread.withLock { $0 }?.hasEnded() == true)
        }
    }

    @Test func `status and nudge reach the master`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            let lock = try InstanceLock(besideStore: path)
            let server = try Server(path)
            #expect(try ControlClient.status(storePath: path) == (try Self.status))
            ControlClient.nudge(storePath: path)
            eventually("the nudge was heard") { server.requests.withLock { $0 == [.status, .nudge] } }
            server.stop()
            #expect(!FileManager.default.fileExists(atPath: ControlSocket.path(besideStore: path)))
            withExtendedLifetime(lock) {}
        }
    }

    @Test func `without a master there is no status, and a nudge is no failure`() throws {
        try TemporaryFolder.with { folder throws in
            #expect(try ControlClient.status(storePath: folder + "/store") == nil)
            ControlClient.nudge(storePath: folder + "/store")
        }
    }

    @Test func `a master that does not listen is an error that names the socket`() throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(besideStore: folder + "/store")
            let error = #expect(throws: MasterError.self) { try ControlClient.status(storePath: folder + "/store") }
            #expect(error?.description.contains(folder + "/store.control") == true)
            withExtendedLifetime(lock) {}
        }
    }

    @Test func `a socket file that an earlier master left is replaced; nobody else may use the new one`() throws {
        try TemporaryFolder.with { folder in
            let path = ControlSocket.path(besideStore: folder + "/store")
            // What a killed master leaves: a bound file that nobody listens on.
            let stale = unsafe push_unix_listen(path)
            try #require(stale >= 0)
            close(stale)
            let lock = try InstanceLock(besideStore: folder + "/store")
            let server = try Server(folder + "/store")
            #expect(try ControlClient.status(storePath: folder + "/store") == (try Self.status))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            server.stop()
            withExtendedLifetime(lock) {}
        }
    }

    @Test func `a socket that another master has put in its place stays`() throws {
        try TemporaryFolder.with { folder in
            let path = ControlSocket.path(besideStore: folder + "/store")
            var first: ControlSocket? = try ControlSocket(besideStore: folder + "/store")
            let second = try ControlSocket(besideStore: folder + "/store")
            #expect(first != nil)
            first = nil
            #expect(FileManager.default.fileExists(atPath: path))
            withExtendedLifetime(second) {}
        }
    }

    @Test func `a path too long for a socket is refused, not cut`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/" + String(repeating: "s", count: 200)
            #expect(
                throws: MasterError.system(
                    what: "listen on", path: ControlSocket.path(besideStore: path), errorNumber: ENAMETOOLONG)
            ) { try ControlSocket(besideStore: path) }
        }
    }

    @Test func `neither silence nor nonsense of one client keeps another from its answer`() throws {
        try TemporaryFolder.with { folder in
            let lock = try InstanceLock(besideStore: folder + "/store")
            let server = try Server(folder + "/store")
            let path = ControlSocket.path(besideStore: folder + "/store")
            let silent = unsafe push_unix_connect(path)
            let nonsense = unsafe push_unix_connect(path)
            defer { for client in [silent, nonsense] { close(client) } }
            try #require(silent >= 0 && nonsense >= 0)
            #expect(unsafe push_send(nonsense, "reboot\n", 7) == 7)
            #expect(try ControlClient.status(storePath: folder + "/store") == (try Self.status))
            // Nothing is done for who asks for nothing that exists.
            #expect(server.requests.withLock { $0 } == [.status])
            server.stop()
            withExtendedLifetime(lock) {}
        }
    }
}
