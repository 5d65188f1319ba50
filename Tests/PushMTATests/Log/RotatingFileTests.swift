import Foundation
import Glibc
import TestSupport
import Testing
import pushmta

struct RotatingFileTests {
    private static func withFolder(_ story: (String) throws -> Void) throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        try story(folder.appending(path: "service.log").path(percentEncoded: false))
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test func `a full file is renamed to the first of the earlier files, and the oldest file is deleted`()
        throws
    {
        try Self.withFolder { path in
            var file = try RotatingFile(path: path, maximumBytes: 10, count: 2)
            var written: [Bool] = []
            for number in 1...7 { written.append(file.write(Array("line\(number)\n".utf8))) }
            #expect(written == [Bool](repeating: true, count: 7))
            #expect(Self.text(path) == "line7\n")
            #expect(Self.text(path + ".1") == "line6\n" && Self.text(path + ".2") == "line5\n")
            #expect(Self.text(path + ".3") == nil)
        }
    }

    @Test func `existing content is kept and counts toward the size`() throws {
        try Self.withFolder { path in
            try "before\n".write(toFile: path, atomically: false, encoding: .utf8)
            var file = try RotatingFile(path: path, maximumBytes: 20, count: 1)
            let first = file.write(Array("after\n".utf8))
            #expect(Self.text(path) == "before\nafter\n")
            let second = file.write(Array("a longer line\n".utf8))
            #expect(first && second)
            #expect(Self.text(path) == "a longer line\n" && Self.text(path + ".1") == "before\nafter\n")
        }
    }

    @Test func `lines go to the file under the name, after another program has replaced or deleted the file`()
        throws
    {
        try Self.withFolder { path in
            var file = try RotatingFile(path: path)
            var isWritten = [file.write(Array("one\n".utf8))]
            #expect(unsafe rename(path, path + ".old") == 0)
            try "".write(toFile: path, atomically: false, encoding: .utf8)
            isWritten.append(file.write(Array("two\n".utf8)))
            #expect(Self.text(path) == "two\n" && Self.text(path + ".old") == "one\n")
            try FileManager.default.removeItem(atPath: path)
            isWritten.append(file.write(Array("three\n".utf8)))
            #expect(Self.text(path) == "three\n")
            #expect(isWritten == [true, true, true])
        }
    }

    @Test func `if a file is moved, a new file is opened, immediately on request and otherwise soon`() throws
    {
        try Self.withFolder { path in
            var file = try RotatingFile(path: path)
            #expect(unsafe rename(path, path + ".old") == 0)
            file.reopen()
            #expect(Self.text(path) == "")
            #expect(unsafe rename(path, path + ".older") == 0)
            var written = 0
            // No line is lost while the program that moved the file may still be about to create a new file.
            eventually("a new file") {
                written += file.write(Array("line\n".utf8)) ? 1 : 0
                return Self.text(path) != nil
            }
            let lines = [path, path + ".older"].map { Self.text($0)?.split(separator: "\n").count ?? 0 }
            #expect(lines.reduce(0, +) == written && lines[0] == 1)
        }
    }

    @Test func `if no file can be opened under the name, the old file is still used`() throws {
        try Self.withFolder { path in
            var file = try RotatingFile(path: path)
            #expect(unsafe rename(path, path + ".old") == 0)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            file.reopen()
            let isWritten = file.write(Array("line\n".utf8))
            #expect(isWritten && Self.text(path + ".old") == "line\n")
        }
    }

    @Test func `a line that exceeds the maximum file size has a file of its own`() throws {
        try Self.withFolder { path in
            var file = try RotatingFile(path: path, maximumBytes: 4, count: 3)
            let (first, second) = (
                file.write(Array("much too long\n".utf8)), file.write(Array("next\n".utf8))
            )
            #expect(first && second)
            #expect(Self.text(path) == "next\n" && Self.text(path + ".1") == "much too long\n")
        }
    }

    @Test func `no other user can read the file`() throws {
        try Self.withFolder { path in
            _ = try RotatingFile(path: path)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `an unwritable location is reported with the remedy`() throws {
        try Self.withFolder { path in
            #expect {
                _ = try RotatingFile(path: path + "/in/no/folder")
            } throws: {
                "\($0)".contains("cannot write the log file") && "\($0)".contains("--log-file")
            }
        }
    }
}
