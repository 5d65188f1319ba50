internal import Glibc

/// A copy of the engine's program that can be taken away while it runs: then it can start no more children.
package struct EngineCopy: Sendable {
    package let path: String
    private let hidden: String

    fileprivate init(of program: String, in folder: Folder) throws(LoadError) {
        path = folder.file("pushmta")
        hidden = folder.file("pushmta.hidden")
        try Folder.write(try Folder.read(program), to: path, mode: 0o700)
    }

    package func hide() throws(LoadError) { try move(path, to: hidden) }
    package func show() throws(LoadError) { try move(hidden, to: path) }

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
