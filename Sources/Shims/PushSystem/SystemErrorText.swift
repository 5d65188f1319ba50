internal import Glibc

/// The operating system's text for an error number.
package enum SystemErrorText {
    /// Reports whether no descriptor is left for this process or for the machine.
    package static func isShortage(_ errorNumber: Int32) -> Bool {
        errorNumber == EMFILE || errorNumber == ENFILE
    }

    /// - Parameter errorNumber: A value of errno.
    package static func of(_ errorNumber: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(errorNumber, &buffer, buffer.count) == 0 else {
            return "error \(errorNumber)"
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return isShortage(errorNumber) ? "\(text): \(OpenFileLimit.advice)" : text
    }
}
