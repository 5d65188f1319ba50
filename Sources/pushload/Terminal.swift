internal import Glibc

/// Results on standard output, remarks on standard error, both at once and unbuffered.
enum Terminal {
    static func line(_ text: String) { put(text, to: 1) }
    static func remark(_ text: String) { put("pushload: \(text)", to: 2) }

    private static func put(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}
