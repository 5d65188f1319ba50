import Glibc
import pushload

/// A copy of the engine's program that can be replaced while it runs, as in an upgrade.
struct EngineCopy: Sendable {
    let path: String
    private let next: String

    fileprivate init(of program: String, in folder: Folder, named name: String = "pushmta") throws(LoadError)
    {
        path = folder.file(name)
        next = path + ".next"
        // Another process makes the copy: a file that this process writes may be open in a program that is
        // spawned at the same time, and a file that is open for writing cannot be executed (ETXTBSY).
        let copy = try RunningProcess(
            "/bin/cp", [program, path], name: "cp", output: folder.file("cp.out"),
            complaints: folder.file("cp.err"))
        guard copy.wait()?.status == 0 else {
            throw LoadError("cp failed on \(path): it did not end well: see \(copy.complaints)")
        }
    }

    /// Atomically replaces the program with another file.
    func replace(with program: [UInt8]) throws(LoadError) {
        try Folder.write(program, to: next, mode: 0o700)
        try move(next, to: path)
    }

    /// Turns the copy into another build, with this abbreviated commit.
    func stamp(_ commit: String) async throws {
        let name = "pushmta-commit="
        guard let place = Self.place(of: Array(name.utf8), in: try Folder.read(path)) else {
            throw LoadError("\(path) does not say which commit it is of")
        }
        try Folder.write(Array("\(name)\(commit)\0".utf8), to: next)
        // Another process does this, for the same reason as above.
        let patch = try RunningProcess(
            "/bin/dd",
            ["if=\(next)", "of=\(path)", "oflag=seek_bytes", "seek=\(place)", "conv=notrunc", "status=none"],
            name: "dd", output: path + ".out", complaints: path + ".err")
        guard try await patch.end().status == 0 else {
            throw LoadError("dd failed on \(path): it did not end well: see \(patch.complaints)")
        }
    }

    private static func place(of words: [UInt8], in bytes: [UInt8]) -> Int? {
        var from = 0
        while let place = bytes[from...].firstIndex(of: words[0]) {
            if bytes[place...].starts(with: words) { return place }
            from = place + 1
        }
        return nil
    }

    private func move(_ from: String, to: String) throws(LoadError) {
        guard unsafe rename(from, to) == 0 else {
            throw LoadError.system("rename", on: from)
        }
    }
}

extension Testbed {
    func copyOfEngine() throws(LoadError) -> EngineCopy {
        try EngineCopy(of: programs.pushmta, in: folder)
    }

    /// Returns a program that reports this commit as its own.
    func engine(builtFrom commit: String) async throws -> EngineCopy {
        let copy = try EngineCopy(of: programs.pushmta, in: folder, named: "pushmta-\(commit)")
        try await copy.stamp(commit)
        return copy
    }
}
