import CPushShims
import Foundation
import Glibc
import Testing

import PushMaster

@Suite struct InstanceLockTests {
    @Test func `a second master is refused and told by which file`() throws {
        try TemporaryFolder.with { folder in
            let first = try InstanceLock(besideStore: folder + "/store")
            #expect(throws: MasterError.anotherMaster(lockFile: folder + "/store.master")) {
                try InstanceLock(besideStore: folder + "/store")
            }
            // A refused master leaves nothing open.
            #expect(TemporaryFolder.openings(of: folder + "/store.master") == 1)
            withExtendedLifetime(first) {}
        }
    }

    @Test func `whoever asks sees whether a master is there`() throws {
        try TemporaryFolder.with { folder in
            #expect(!InstanceLock.isHeld(besideStore: folder + "/store"))
            var lock: InstanceLock? = try InstanceLock(besideStore: folder + "/store")
            #expect(InstanceLock.isHeld(besideStore: folder + "/store"))
            #expect(lock != nil)
            lock = nil
            // Not at once: what another test is giving birth to holds copies of all that is open, until its exec.
            eventually("it is free") { !InstanceLock.isHeld(besideStore: folder + "/store") }
            #expect(TemporaryFolder.openings(of: folder + "/store.master") == 0)
        }
    }

    @Test func `a master of another process keeps the store until it is killed`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store.master"
            let held = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(held >= 0)
            #expect(push_flock(held, LOCK_EX | LOCK_NB) == 0)
            // A process that holds the open file as its descriptor 4, as a child holds its own lock.
            let process = try Sleeper(lock: held)
            close(held)
            #expect(throws: MasterError.anotherMaster(lockFile: path)) {
                try InstanceLock(besideStore: folder + "/store")
            }
            process.killAndReap()
            _ = try InstanceLock(besideStore: folder + "/store")
        }
    }

    @Test func `children of an earlier master keep a new one waiting until the last is gone`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store.children"
            var earlier: InstanceLock? = try InstanceLock(besideStore: folder + "/store")
            var children: [ChildProcess] = []
            if let earlier {
                #expect(try earlier.childrenAreGone())
                children = try (0..<2).map { _ in try ChildProcess.spawn(Sleeper.order, lock: earlier) }
            }
            earlier = nil
            defer { for child in children { close(child.link) } }
            let later = try InstanceLock(besideStore: folder + "/store")
            #expect(throws: MasterError.childrenOutlived(lockFile: path, seconds: 0)) {
                try later.waitForChildren(atMostSeconds: 0)
            }
            _ = children[0].killAndReap()
            #expect(try !later.childrenAreGone())
            let waiting = OtherThread { try? later.waitForChildren(atMostSeconds: 30) }
            _ = children[1].killAndReap()
            #expect(waiting.hasEnded())
            eventually("they are gone") { (try? later.childrenAreGone()) == true }
            // Neither asking nor spawning leaves the file open here.
            #expect(TemporaryFolder.openings(of: path) == 0)
        }
    }

    @Test func `a lock that cannot be opened says which file and why`() throws {
        try TemporaryFolder.with { folder in
            let expected = MasterError.system(what: "open", path: folder + "/absent/store.master", errorNumber: ENOENT)
            #expect(throws: expected) { try InstanceLock(besideStore: folder + "/absent/store") }
        }
    }
}
