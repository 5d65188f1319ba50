import FoundationEssentials
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests what a backup and a restore refuse, and that a refusal leaves everything unchanged.
@Suite struct StoreBackupRefusalTests {
    private let noon = TemporaryStore.noon

    private func names(_ folder: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder))
    }

    @Test func `a backup replaces an existing file only if requested, and never the store's own files`()
        throws
    {
        try TemporaryStore.with { fixture in
            let folder = fixture.folder
            func backUp(_ name: String, withKey: Bool = true, isForced: Bool = false) throws {
                _ = try fixture.store.backup(to: folder + "/" + name, withKey: withKey, isForced: isForced)
                    .run(at: noon)
            }
            try "mine".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
            try "mine".write(toFile: folder + "/second.key", atomically: true, encoding: .utf8)
            TemporaryFolder.setMode(0o600, of: folder + "/second.key")
            #expect(unsafe symlink(folder + "/file", folder + "/link") == 0)
            func refused(_ name: String, forced: Bool, _ why: String) throws {
                guard case .notReplaced(_, let found) = cause(of: { try backUp(name, isForced: forced) })
                else {
                    Issue.record("\(name) is replaced")
                    return
                }
                #expect(found.contains(why), "\(found)")
            }
            try refused("file", forced: false, "--force")
            try refused("link", forced: true, "is not a file")
            try refused("var", forced: true, "is not a file")
            try refused("var/pushmta.db", forced: true, "the store itself")
            try refused("var/pushmta.db-wal", forced: true, "the store itself")
            try refused("var/instance.key", forced: true, "the store itself")
            guard case .keyUnreadable = cause(of: { try backUp("second") }) else {
                Issue.record("a key is written over")
                return
            }
            #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "mine")
            #expect(try names(folder) == ["var", "file", "link", "second.key"])
            try backUp("file", withKey: false, isForced: true)
            // A file that already contains the same key needs no confirmation.
            try backUp("third")
            try backUp("third", isForced: true)
            guard case .file = cause(of: { try backUp("absent/b") }) else {
                Issue.record("a folder was made")
                return
            }
            #expect(try names(folder) == ["var", "file", "link", "second.key", "third", "third.key"])
        }
    }

    @Test func `a cancelled backup leaves nothing behind`() throws {
        try TemporaryStore.with { fixture in
            let backup = fixture.store.backup(to: fixture.folder + "/b", withKey: true, isForced: false)
            let done = try backup.run(at: noon) { _ in false }
            #expect(done == nil)
            #expect(try names(fixture.folder) == ["var"])
        }
    }

    @Test func `a file that is not a backup, or lacks its key, is not restored`() throws {
        try TemporaryStore.with { fixture in
            let (folder, place) = (
                fixture.folder, Store.Place.sqlite(path: fixture.folder + "/new/pushmta.db")
            )
            func refused(_ name: String, _ why: String, isForced: Bool = false) {
                let found = cause {
                    _ = try StoreRestore(from: folder + "/" + name, to: place, isForced: isForced).run()
                }
                guard case .noBackup(_, let found)? = found else {
                    Issue.record("\(name): \(String(describing: found))")
                    return
                }
                #expect(found.contains(why), "\(found)")
            }
            let absent = cause {
                _ = try StoreRestore(from: folder + "/absent", to: place, isForced: false).run()
            }
            #expect(absent == .file(path: folder + "/absent", why: "there is no such file"))
            refused("var/pushmta.db", "is a store and not a backup")
            try "text".write(toFile: folder + "/text", atomically: true, encoding: .utf8)
            refused("text", "is not a backup of a store")
            _ = try fixture.store.backup(to: folder + "/b", withKey: false, isForced: false).run(at: noon)
            refused("b", "has no key next to it")
            try String(repeating: "x", count: 32).write(
                toFile: folder + "/b.key", atomically: true, encoding: .utf8)
            TemporaryFolder.setMode(0o600, of: folder + "/b.key")
            refused("b", "is not the key of that backup; replace it with the backup's key")
            #expect(
                try names(folder).isSuperset(of: ["b", "b.key", "text", "var"]) && names(folder).count <= 5)
            #expect(!FileManager.default.fileExists(atPath: folder + "/new/pushmta.db"))
        }
    }

    @Test
    func `an existing store is moved aside with its log if requested, but not while a master is running`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let file = fixture.folder + "/b"
            _ = try fixture.store.backup(to: file, withKey: true, isForced: false).run(at: noon)
            try fixture.subscribe(11...20, to: app)
            let path = fixture.path
            func restore(isForced: Bool) throws {
                _ = try StoreRestore(from: file, to: .sqlite(path: path), isForced: isForced).run()
            }
            guard case .notReplaced = cause(of: { try restore(isForced: false) }) else {
                Issue.record("it is replaced")
                return
            }
            let claim = try #require(try fixture.store.claim())
            // This process has one claim. Another process would have a separate claim.
            withExtendedLifetime(claim) {}
            try restore(isForced: true)
            let copy = try Store.open(path: path)
            #expect(try copy.subscribers.count(of: app.id) == 10)
            #expect(FileManager.default.fileExists(atPath: path + ".replaced"))
            #expect(FileManager.default.fileExists(atPath: path + ".replaced-wal"))
            guard case .notReplaced(let left, let why) = cause(of: { try restore(isForced: true) }) else {
                Issue.record("an earlier one is replaced")
                return
            }
            #expect(left == path + ".replaced")
            #expect(
                why == "and \(path).replaced-wal are left over from an earlier restore; remove them first")
            // The name no longer refers to the store with which this test began.
            fixture.store.abandon()
        }
    }
}
