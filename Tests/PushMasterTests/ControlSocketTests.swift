import CPushShims
import Foundation
import Glibc
import PushMaster
import PushWire
import TestSupport
import Testing

@Suite struct ControlSocketTests {
    @Test func `a socket file that an earlier master left is replaced; nobody else may use the new one`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = ControlSocket.path(besideStore: folder + "/store")
            // What a killed master leaves: a bound file that nobody listens on.
            let stale = unsafe push_unix_listen(path)
            try #require(stale >= 0)
            close(stale)
            let lock = try InstanceLock(besideStore: folder + "/store")
            let master = try StandInMaster(in: folder)
            #expect(try ControlClient.status(storePath: folder + "/store")?.state == "starting")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            master.stop()
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
}
