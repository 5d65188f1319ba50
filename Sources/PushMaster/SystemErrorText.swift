internal import Glibc

/// What the operating system calls an error number.
enum SystemErrorText {
    static func of(_ errorNumber: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(errorNumber, &buffer, buffer.count) == 0 else { return "error \(errorNumber)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
