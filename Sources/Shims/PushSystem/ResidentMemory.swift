internal import Glibc

/// The amount of memory that this process has in RAM.
package enum ResidentMemory {
    /// Returns the second number in `/proc/self/statm`, converted from pages to kilobytes; 0 if it cannot be
    /// read.
    package static func kilobytes() -> UInt32 {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(file, &buffer, buffer.count)
        guard count > 0 else { return 0 }
        let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = UInt32(String(decoding: fields[1], as: UTF8.self)) else {
            return 0
        }
        return pages * UInt32(sysconf(Int32(_SC_PAGESIZE)) >> 10)
    }
}
