internal import Glibc

/// The two streams of a command: results on standard output, complaints on standard error; both at once,
/// unbuffered.
enum Terminal {
    static func say(_ text: String) { put(text, to: 1) }
    static func complain(_ text: String) { put("pushsink: \(text)", to: 2) }

    private static func put(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            guard count > 0 else { return }
            sent += count
        }
    }
}
