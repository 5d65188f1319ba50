import FoundationEssentials
import GRDB
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests backups that differ from the file that `backup` wrote.
@Suite(.eachEngine) struct DamagedBackupTests {
    private let noon = TemporaryStore.noon

    private func withBackup(
        _ body: (_ fixture: TemporaryStore, _ file: String, _ bytes: [UInt8]) throws -> Void
    )
        throws
    {
        try TemporaryStore.with { fixture in
            _ = try CopyFixture.fill(fixture)
            let file = fixture.folder + "/b"
            _ = try fixture.store.backup(to: file, withKey: true, isForced: false).run(at: noon)
            try body(fixture, file, Array(try Data(contentsOf: URL(filePath: file))))
        }
    }

    private func write(_ bytes: [UInt8], to file: String) throws {
        try Data(bytes).write(to: URL(filePath: file))
    }

    /// Restores the file to an empty place.
    /// - Returns: The reason for the refusal; `nil` if the file was not refused.
    private func refusal(of file: String, _ fixture: TemporaryStore) throws -> String? {
        let folder = fixture.folder + "/other"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = Store.Place.sqlite(path: folder + "/pushmta.db")
        var found: StoreError?
        do throws(StoreError) { _ = try StoreRestore(from: file, to: place, isForced: false).run() } catch {
            found = error
        }
        let left = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let found else {
            #expect(Set(left) == ["pushmta.db", "instance.key"])
            return nil
        }
        #expect(left == [])
        switch found.cause {
        case .noBackup(let path, let why), .file(let path, let why):
            #expect(path == file)
            return why
        default:
            Issue.record("\(found)")
            return ""
        }
    }

    @Test func `a backup that is damaged at any position is refused, and nothing is restored`() throws {
        try withBackup { fixture, file, whole in
            #expect(try refusal(of: file, fixture) == nil)
            var dice = SeededRandom(seed: 14)
            for turn in 0..<14 {
                var bytes = whole
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                let page = place / 4_096 * 4_096..<min(place / 4_096 * 4_096 + 4_096, bytes.count)
                switch turn % 5 {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
                case 1: for index in page { bytes[index] = .random(in: 0 ... .max, using: &dice) }
                case 2: bytes.removeSubrange(place...)
                case 3: bytes.insert(0, at: place)
                // The end of the file, including the checksum itself.
                default: bytes[bytes.count - 1 - place % 100] ^= 0x40
                }
                try write(bytes, to: file)
                let why = try refusal(of: file, fixture)
                #expect(
                    why?.contains("is damaged") == true || why == "is not a backup of a store",
                    "\(turn): \(why ?? "")")
            }
            // Without its last line, the file is a complete database but does not contain everything that was
            // written.
            try write(Array(whole[..<(try #require(whole.dropLast().lastIndex(of: 0x0A)))]), to: file)
            #expect(try refusal(of: file, fixture)?.contains("the checksum at its end is missing") == true)
        }
    }

    @Test func `a backup from an earlier version is refused`() throws {
        try withBackup { fixture, file, whole in
            try write(Array(whole[..<(try #require(whole.dropLast().lastIndex(of: 0x0A)))]), to: file)
            try alter(file, "DELETE FROM grdb_migrations WHERE identifier LIKE '23 %'")
            #expect(try refusal(of: file, fixture)?.hasPrefix("was taken before version 0.7.0") == true)
        }
    }

    @Test func `a file that is not a regular file is refused immediately`() throws {
        try withBackup { fixture, file, _ in
            let pipe = fixture.folder + "/pipe"
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            for name in [pipe, fixture.folder, "/dev/null"] {
                let why = try refusal(of: name, fixture)
                #expect(why == "it is not a file")
            }
            #expect(unsafe unlink(file + ".key") == 0)
            #expect(unsafe mkfifo(file + ".key", 0o600) == 0)
            let place = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
            let found = cause { _ = try StoreRestore(from: file, to: place, isForced: false).run() }
            guard case .keyUnreadable(_, let why) = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(why == "it is not a file")
        }
    }

    @Test func `backup and restore can be cancelled between any two steps, and then leave nothing behind`()
        throws
    {
        try withBackup { fixture, file, _ in
            func names() throws -> Set<String> {
                Set(try FileManager.default.contentsOfDirectory(atPath: fixture.folder))
            }
            let before = try names()
            var kinds: Set<Bool> = []
            var last = 0
            while true {
                var steps = 0
                let most = last
                let done = try fixture.store.backup(to: fixture.folder + "/c", withKey: true, isForced: false)
                    .run(at: noon) { progress in
                        steps += 1
                        kinds.insert(progress.isChecking)
                        return steps <= most
                    }
                if done != nil { break }
                #expect(steps == most + 1)
                #expect(try names() == before)
                // A copy from a server takes hundreds of steps.
                last = last * 2 + 1
            }
            #expect(kinds == [false, true])
            // A small store may have been examined before the first progress call.
            for last in 0..<2 {
                var steps = 0
                let place = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
                let done = try StoreRestore(from: file, to: place, isForced: false).run { _ in
                    steps += 1
                    return steps <= last
                }
                guard done == nil else { break }
                #expect(steps == last + 1)
                let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/other")
                #expect(left == [])
            }
        }
    }
}
