internal import Glibc
internal import PushModel

/// What the operating system calls an error number.
enum SystemError {
    static func text(_ number: Int32) -> String {
        // Unsafe because the text is the C library's: it is copied at once.
        let text = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return number == EMFILE || number == ENFILE ? "\(text): \(OpenFileLimit.advice)" : text
    }
}
