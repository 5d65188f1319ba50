internal import Glibc

/// The folder of the documentation's pages, for texts that name a page.
package enum DocumentFolder {
    /// The path of the pages that were installed together with the running program. If there are none, the
    /// path relative to the top of the source tree.
    package static let path = ownProgram.flatMap { installed(with: $0) } ?? "Docs"

    /// Returns the folder into which `make install` put the pages; `nil` if it does not exist.
    /// - Parameter program: The path of the program. `make install` puts `bin` and `share` into one folder.
    package static func installed(with program: String) -> String? {
        let prefix = program.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
        let folder = "\(prefix)/share/doc/pushmta/Docs"
        return unsafe access(folder, F_OK) == 0 ? folder : nil
    }

    /// The path of the running program, without symbolic links. If an upgrade has replaced the file, the
    /// kernel adds a note to the file's name, and the folder remains correct.
    private static var ownProgram: String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
