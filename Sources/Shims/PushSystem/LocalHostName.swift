internal import Glibc

/// The name of this machine.
package enum LocalHostName {
    /// The name, or "host" if there is none.
    package static var now: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "host" }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "host" : name
    }
}
