import CPushShims
import Foundation
import Glibc
import PushMaster
import PushStore
import TestSupport
import Testing

@Suite struct InstanceLockTests {
    @Test func `a second master is refused, and the error names the lock file`() throws {
        try TemporaryFolder.with { folder in
            let first = try InstanceLock(forStore: folder + "/store")
            #expect(throws: MasterError.anotherMaster(lockFile: folder + "/store.master")) {
                try InstanceLock(forStore: folder + "/store")
            }
            // A refused master leaves no descriptor open.
            #expect(TemporaryFolder.openings(of: folder + "/store.master") == 1)
            withExtendedLifetime(first) {}
        }
    }

    @Test func `a query reports whether a master is running`() throws {
        try TemporaryFolder.with { folder in
            #expect(try !InstanceLock.isHeld(forStore: folder + "/store"))
            var lock: InstanceLock? = try InstanceLock(forStore: folder + "/store")
            #expect(try InstanceLock.isHeld(forStore: folder + "/store"))
            #expect(lock != nil)
            lock = nil
            // The lock may not be released immediately: a program that another test is spawning has copies of
            // all open descriptors until its exec.
            try eventually("it is free") { try !InstanceLock.isHeld(forStore: folder + "/store") }
            #expect(TemporaryFolder.openings(of: folder + "/store.master") == 0)
        }
    }

    @Test func `a master in another process keeps the store locked until it is killed`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store.master"
            let held = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(held >= 0)
            #expect(push_flock(held, LOCK_EX | LOCK_NB) == 0)
            // A process that has the file open as its descriptor 4, as a child has its own lock.
            let process = try Sleeper(lock: held)
            close(held)
            #expect(throws: MasterError.anotherMaster(lockFile: path)) {
                try InstanceLock(forStore: folder + "/store")
            }
            process.killAndReap()
            _ = try InstanceLock(forStore: folder + "/store")
        }
    }

    @Test func `a new master waits for the children of an earlier master until the last child has ended`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/store.children"
            var earlier: InstanceLock? = try InstanceLock(forStore: folder + "/store")
            var children: [ChildProcess] = []
            if let earlier {
                #expect(try earlier.childrenAreGone())
                children = try (0..<2).map { _ in try ChildProcess.spawn(Sleeper.order, lock: earlier) }
            }
            earlier = nil
            defer { for child in children { close(child.link) } }
            let later = try InstanceLock(forStore: folder + "/store")
            #expect(throws: MasterError.childrenOutlived(lockFile: path, seconds: 0)) {
                _ = try later.waitForChildren(atMostSeconds: 0)
            }
            _ = children[0].killAndReap()
            #expect(try !later.childrenAreGone())
            let waiting = OtherThread { _ = try? later.waitForChildren(atMostSeconds: 30) }
            _ = children[1].killAndReap()
            #expect(waiting.hasEnded())
            eventually("they are gone") { (try? later.childrenAreGone()) == true }
            // Neither a query nor a spawn leaves the file open in this process, except for the descriptor by
            // which it is recognised.
            #expect(TemporaryFolder.openings(of: path) == 1)
        }
    }

    @Test func `an order to end also ends the wait for an earlier master's children`() throws {
        try TemporaryFolder.with { folder in
            var earlier: InstanceLock? = try InstanceLock(forStore: folder + "/store")
            let child = try earlier.map { try ChildProcess.spawn(Sleeper.order, lock: $0) }
            earlier = nil
            defer {
                if let child {
                    close(child.link)
                    _ = child.killAndReap()
                }
            }
            let later = try InstanceLock(forStore: folder + "/store")
            var asked = 0
            let isOver = try later.waitForChildren(atMostSeconds: 3_600) {
                asked += 1
                return asked == 3
            }
            #expect(!isOver && asked == 3)
        }
    }

    @Test(arguments: ["master", "children"])
    func `a removed or replaced lock file is noticed`(name: String) throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store." + name
            let lock = try InstanceLock(forStore: folder + "/store")
            #expect(lock.change() == nil)
            try FileManager.default.removeItem(atPath: path)
            #expect(lock.change() == FileChange(role: .lock, path: path, kind: .removed))
            try Data().write(to: URL(filePath: path))
            #expect(lock.change() == FileChange(role: .lock, path: path, kind: .replaced))
        }
    }

    @Test func `no child starts with a lock file other than the one that running children have locked`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/store.children"
            let lock = try InstanceLock(forStore: folder + "/store")
            try FileManager.default.removeItem(atPath: path)
            let change = FileChange(role: .lock, path: path, kind: .replaced)
            #expect(throws: MasterError.fileChanged(change)) {
                _ = try ChildProcess.spawn(Sleeper.order, lock: lock)
            }
            #expect(throws: MasterError.fileChanged(change)) { _ = try lock.childrenAreGone() }
        }
    }

    @Test func `a query needs no write permission, and the next query does not mistake it for a master`()
        throws
    {
        try TemporaryFolder.with { folder in
            // A folder cannot be opened for writing, even by root, just like a file on a read-only file
            // system.
            let path = folder + "/store.master"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(try !InstanceLock.isHeld(forStore: folder + "/store"))
            let other = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(other) }
            #expect(push_flock(other, LOCK_SH | LOCK_NB) == 0)
            #expect(try !InstanceLock.isHeld(forStore: folder + "/store"))
            #expect(push_flock(other, LOCK_EX | LOCK_NB) == 0)
            #expect(try InstanceLock.isHeld(forStore: folder + "/store"))
        }
    }

    @Test func `if it cannot be determined whether a master is running, the error states this`() throws {
        try TemporaryFolder.with { folder throws in
            // A symbolic link to itself cannot be opened with any permission.
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/store.master", withDestinationPath: folder + "/store.master")
            let error = #expect(throws: MasterError.self) {
                try InstanceLock.isHeld(forStore: folder + "/store")
            }
            #expect(error?.description.contains("determine whether a master is running") == true)
        }
    }

    @Test func `a lock that cannot be opened is reported with the file and the reason`() throws {
        try TemporaryFolder.with { folder in
            let expected = MasterError.system(
                what: "open", path: folder + "/absent/store.master", errorNumber: ENOENT)
            #expect(throws: expected) { try InstanceLock(forStore: folder + "/absent/store") }
            let forbidden = MasterError.system(what: "open", path: folder, errorNumber: EACCES)
            #expect(
                "\(forbidden)".hasSuffix("check the owner and the permissions of the file and its folder"))
        }
    }
}
