import CPushShims
import Foundation
import Glibc
import PushMaster
import TestSupport
import Testing

@Suite struct LocalSocketTests {
    @Test func `the socket file of an earlier master is replaced, and no other user can use the new file`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = LocalSocket.path(forStore: folder + "/store")
            // The remains of a killed master: a bound socket file that no process listens on.
            let stale = unsafe push_unix_listen(path)
            try #require(stale >= 0)
            close(stale)
            let socket = try LocalSocket(forStore: folder + "/store")
            let client = unsafe push_unix_connect(path, 10_000)
            #expect(client >= 0)
            close(client)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            withExtendedLifetime(socket) {}
        }
    }

    @Test func `a socket file that another master has put in place is not removed`() throws {
        try TemporaryFolder.with { folder in
            let path = LocalSocket.path(forStore: folder + "/store")
            var first: LocalSocket? = try LocalSocket(forStore: folder + "/store")
            let second = try LocalSocket(forStore: folder + "/store")
            #expect(first != nil)
            first = nil
            #expect(FileManager.default.fileExists(atPath: path))
            withExtendedLifetime(second) {}
        }
    }

    @Test(arguments: [(0, 200), (150, 5), (150, 200)])
    func `a path can be longer than the address of a socket allows`(folderLength: Int, nameLength: Int) throws
    {
        try TemporaryFolder.with { temporary in
            let folder = temporary + "/" + String(repeating: "f", count: folderLength)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/" + String(repeating: "s", count: nameLength)
            let address = LocalSocket.path(forStore: path)
            // The socket file of a killed master is replaced.
            let stale = unsafe push_unix_listen(address)
            try #require(stale >= 0)
            close(stale)
            var socket: LocalSocket? = try LocalSocket(forStore: path)
            let mode = try FileManager.default.attributesOfItem(atPath: address)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
            let client = unsafe push_unix_connect(address, 10_000)
            #expect(client >= 0)
            close(client)
            eventually("the client to be accepted") {
                let accepted = socket.map { accept($0.descriptor, nil, nil) } ?? -1
                if accepted >= 0 { close(accepted) }
                return accepted >= 0
            }
            socket = nil
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            let gone = unsafe push_unix_connect(address, 10_000)
            #expect(gone < 0)
        }
    }

    @Test func `a name that no file can have is refused and not truncated`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/" + String(repeating: "s", count: 255)
            #expect(
                throws: MasterError.system(
                    what: "listen on", path: LocalSocket.path(forStore: path), errorNumber: ENAMETOOLONG)
            ) { try LocalSocket(forStore: path) }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == [])
        }
    }
}
