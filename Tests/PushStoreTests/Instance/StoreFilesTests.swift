import Foundation
import GRDB
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests the store's own files: the names by which they are known, and the reaction if the files under these
/// names are replaced.
@Suite struct StoreFilesTests {
    private static func count(_ path: String) throws -> Int {
        try StoreFile.open(path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM service") ?? -1 }
    }

    @Test func `a symbolic link opens the same store, and its name can also be announced`() throws {
        try TemporaryFolder.with { folder in
            let (real, link) = (folder + "/data/pushmta.db", folder + "/etc/pushmta.db")
            for name in ["data", "etc"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: true)
            }
            // A relative link to a file that does not exist yet.
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "../data/pushmta.db")
            let store = try Store.open(path: link)
            let key = try store.instanceKey()
            #expect(store.path == real)
            #expect(TemporaryFolder.mode(of: real) == 0o600)
            _ = try store.catalogueWriter(key: key).createService(name: "news", label: "News")
            let other = try Store.open(path: real)
            #expect(other.path == real)
            #expect(try other.catalogue.services().map(\.name) == ["news"])
            #expect(Store.Place.sqlite(path: link).instancePath == real)
            #expect(
                Store.Place.sqlite(path: folder + "/absent/store").instancePath == folder + "/absent/store")
        }
    }

    @Test func `a key that lies next to the link to a store is still found`() throws {
        try TemporaryFolder.with { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/etc", withIntermediateDirectories: true)
            let (real, link) = (folder + "/pushmta.db", folder + "/etc/pushmta.db")
            _ = try Store.open(path: real).instanceKey()
            try FileManager.default.moveItem(
                atPath: folder + "/instance.key", toPath: folder + "/etc/instance.key")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
            _ = try Store.open(path: link).instanceKey()
            #expect(throws: StoreError.self) { _ = try Store.open(path: real).instanceKey() }
        }
    }

    @Test func `a dangling link leads to an error in one line`() throws {
        try TemporaryFolder.with { folder throws in
            let link = folder + "/pushmta.db"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
            let error = #expect(throws: StoreError.self) { _ = try Store.open(path: link) }
            #expect(error?.description.contains(link) == true)
        }
    }

    @Test func `a store with a second hard link is refused under either name`() throws {
        try TemporaryFolder.with { folder in
            let (path, second) = (folder + "/pushmta.db", folder + "/second.db")
            _ = try Store.open(path: path)
            try FileManager.default.linkItem(atPath: path, toPath: second)
            for name in [path, second] {
                #expect(throws: StoreError(.manyNames(2), path: name)) { _ = try Store.open(path: name) }
            }
            try FileManager.default.removeItem(atPath: second)
            _ = try Store.open(path: path)
        }
    }

    @Test(arguments: [("", WatchedFile.Role.store), ("-wal", .log), ("-shm", .index)])
    func `the removal or replacement of any of the store's files is detected`(
        suffix: String, role: WatchedFile.Role
    )
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            let store = try Store.open(path: path)
            #expect(store.change() == nil)
            try FileManager.default.moveItem(atPath: path + suffix, toPath: folder + "/elsewhere")
            #expect(store.change() == FileChange(role: role, path: path + suffix, kind: .removed))
            try FileManager.default.copyItem(atPath: folder + "/elsewhere", toPath: path + suffix)
            #expect(store.change() == FileChange(role: role, path: path + suffix, kind: .replaced))
            store.abandon()
        }
    }

    @Test func `writes, checkpoints and other connections replace none of the store's files`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let writer = store.catalogueWriter(key: try store.instanceKey())
            for number in 0..<5 {
                _ = try writer.createService(name: "service \(number)", label: "S")
                #expect(try Self.count(store.path) == number + 1)
                try StoreFile.open(store.path).writeWithoutTransaction {
                    _ = try $0.checkpoint(.truncate)
                }
                #expect(store.change() == nil)
            }
        }
    }

    @Test func `transactions that were committed to a removed log are written back into the store`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let key = try store.instanceKey()
            _ = try store.catalogueWriter(key: key).createService(name: "news", label: "News")
            try FileManager.default.removeItem(atPath: store.path + "-wal")
            #expect(try store.rescueLog())
            store.abandon()
            try FileManager.default.copyItem(atPath: store.path, toPath: folder + "/copy.db")
            #expect(try Self.count(folder + "/copy.db") == 1)
        }
    }

    @Test func `nothing is written back if another process has begun a new log`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let before = try Data(contentsOf: URL(filePath: store.path))
            _ = try store.catalogueWriter(key: try store.instanceKey()).createService(
                name: "news", label: "News")
            try Data("somebody's".utf8).write(to: URL(filePath: store.path + "-wal"))
            #expect(try !store.rescueLog())
            store.abandon()
            #expect(try Data(contentsOf: URL(filePath: store.path)) == before)
        }
    }

    @Test func `only one process has the claim to a store, until the process releases the claim or ends`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            let store = try Store.open(path: path)
            var claim = try store.claim()
            #expect(claim != nil)
            // A file that this process opens separately replaces another process's file: such locks belong to
            // the open file.
            let other = unsafe open(path, O_RDWR | O_CLOEXEC)
            try #require(other >= 0)
            #expect(Self.lock(other) == EAGAIN)
            claim = nil
            #expect(Self.lock(other) == 0)
            #expect(try store.claim() == nil)
            // Neither this lock nor SQLite's locks conflict with each other.
            _ = try store.catalogueWriter(key: try store.instanceKey()).createService(
                name: "news", label: "News")
            // The file is not closed, because that would drop SQLite's locks.
        }
    }

    private static func lock(_ descriptor: Int32) -> Int32 {
        var wish = flock()
        wish.l_type = Int16(F_WRLCK)
        wish.l_whence = Int16(SEEK_SET)
        wish.l_start = 1 << 62
        wish.l_len = 1
        return unsafe fcntl(descriptor, 37, &wish) == 0 ? 0 : errno
    }
}
