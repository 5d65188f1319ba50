import Foundation
import Glibc
import PushStore
import TestSupport
import Testing

@Suite struct FileIdentityTests {
    private static let one = FileIdentity(device: 1, inode: 10)
    private static let file = WatchedFile(.log, path: "/var/x-wal", identity: one)

    @Test(
        arguments: [
            (FileIdentity.ProbeResult.file(one, names: 1), nil), (.file(one, names: 2), nil),
            (.file(FileIdentity(device: 1, inode: 11), names: 1), .replaced),
            (.file(FileIdentity(device: 2, inode: 10), names: 1), .replaced),
            (.absent, .removed),
            // A failed probe does not identify the file. Otherwise a network fault would end the process.
            (.unknown(errorNumber: EIO), nil), (.unknown(errorNumber: ESTALE), nil),
            (.unknown(errorNumber: EACCES), nil),
        ] as [(FileIdentity.ProbeResult, FileChange.Kind?)])
    func `a file has changed if its device or inode differs, and is missing if its name is gone`(
        seen: FileIdentity.ProbeResult, kind: FileChange.Kind?
    ) {
        #expect(Self.file.change(seen: seen)?.kind == kind)
    }

    @Test func `the description of a change names the file and the type of change`() {
        #expect(Self.file.change(seen: .absent)?.description == "the store's log /var/x-wal was removed")
    }

    @Test func `a check follows links, and finds the open file under any of its names`() throws {
        try TemporaryFolder.with { folder in
            let (path, link) = (folder + "/file", folder + "/link")
            #expect(FileIdentity.look(at: path) == .absent)
            #expect(FileIdentity.look(at: path + "/below") == .absent)
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            let identity = try #require(FileIdentity.look(at: descriptor).identity)
            #expect(FileIdentity.look(at: link) == .file(identity, names: 1))
            try FileManager.default.linkItem(atPath: path, toPath: folder + "/second")
            #expect(FileIdentity.look(at: path) == .file(identity, names: 2))
            // The file is moved away and replaced by another one.
            try FileManager.default.moveItem(atPath: path, toPath: folder + "/moved")
            try Data().write(to: URL(filePath: path))
            #expect(FileIdentity.look(at: descriptor).identity == identity)
            #expect(WatchedFile(.store, path: path, identity: identity).change()?.kind == .replaced)
        }
    }
}
