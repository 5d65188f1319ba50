internal import Glibc

/// A copy of the engine's program that can be replaced while it runs, as an upgrade does it.
package struct EngineCopy: Sendable {
    package let path: String
    private let next: String

    fileprivate init(of program: String, in folder: Folder) throws(LoadError) {
        path = folder.file("pushmta")
        next = folder.file("pushmta.next")
        // By another process: a file that this one writes may be open in a program that is started beside this, and
        // nobody executes a file that somebody writes (ETXTBSY).
        let copy = try RunningProcess(
            "/bin/cp", [program, path], name: "cp", output: folder.file("cp.out"),
            complaints: folder.file("cp.err"))
        guard copy.wait()?.status == 0 else {
            throw LoadError(.system(call: "cp", on: path, why: "it did not end well: see \(copy.complaints)"))
        }
    }

    /// Puts another file in its place, at once and whole.
    package func replace(with program: [UInt8]) throws(LoadError) {
        try Folder.write(program, to: next, mode: 0o700)
        try move(next, to: path)
    }

    private func move(_ from: String, to: String) throws(LoadError) {
        guard unsafe rename(from, to) == 0 else {
            throw LoadError(.system(call: "rename", on: from, why: unsafe String(cString: strerror(errno))))
        }
    }
}

extension Testbed {
    package func copyOfEngine() throws(LoadError) -> EngineCopy {
        try EngineCopy(of: programs.pushmta, in: folder)
    }
}
