internal import Glibc
internal import PushModel
internal import PushSystem

/// The terminal while `top` uses it. Keys arrive as they are pressed. When `top` ends, the previous contents
/// of the screen reappear.
///
/// **Promises.** ``restore()`` puts the terminal into the state in which ``take()`` found it. It may be
/// called several times.
final class TopTerminal {
    private var found = termios()
    private var isTaken = false

    /// Whether standard input and standard output are both terminals with the required capabilities.
    static var isThere: Bool {
        guard let kind = unsafe getenv("TERM"), unsafe strcmp(kind, "dumb") != 0 else { return false }
        return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    func take() throws(CommandFailure) {
        guard unsafe tcgetattr(STDIN_FILENO, &found) == 0 else {
            throw .failed(
                "cannot read the terminal's settings: \(SystemErrorText.of(errno)); use 'pushmta status'")
        }
        var wanted = found
        // Signals stay enabled, so Control-C ends the program as usual. Suspending is disabled, because the
        // screen would not be restored.
        wanted.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        wanted.c_iflag &= ~tcflag_t(IXON | ICRNL)
        // Unsafe because the C array is imported as a tuple. The indices are constants of the C library and
        // lie within the tuple.
        unsafe withUnsafeMutableBytes(of: &wanted.c_cc) { places in
            for place in [VSUSP, VQUIT] { unsafe places[Int(place)] = 0 }
            unsafe places[Int(VMIN)] = 0
            unsafe places[Int(VTIME)] = 0
        }
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &wanted) == 0 else {
            throw .failed(
                "cannot change the terminal's settings: \(SystemErrorText.of(errno)); use 'pushmta status'")
        }
        isTaken = true
        // Switch to the alternate screen without a cursor; lines that are too long are cut at its edge.
        try write(Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J".utf8))
    }

    func restore() {
        guard isTaken else { return }
        isTaken = false
        // Discard the input that was typed for the program, so that the shell receives only later input.
        unsafe _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &found)
        try? write(Array("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8))
    }

    deinit { restore() }

    /// The current size.
    var size: TopSize { StandardOutput.terminalSize ?? .usual }

    /// Overwrites the screen line by line, so that nothing flickers.
    func draw(_ lines: [TopLine]) throws(CommandFailure) {
        let columns = size.columns
        var bytes = Array("\u{1B}[H".utf8)
        for (number, line) in lines.enumerated() {
            if number > 0 { bytes += Array("\r\n".utf8) }
            bytes += line.bytes
            // After a line of the full width, the cursor is still on the last character, which would be
            // erased.
            if line.text.count < columns { bytes += Array("\u{1B}[K".utf8) }
        }
        bytes += Array("\u{1B}[J".utf8)
        try write(bytes)
    }

    /// Returns the typed bytes; `nil` if no more input can arrive.
    func typed() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 256)
        // Unsafe because read(2) takes a pointer; the access stays within the array's own bytes.
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        if count >= 0 { return Array(buffer.prefix(count)) }
        return errno == EINTR || errno == EAGAIN ? [] : nil
    }

    private func write(_ bytes: [UInt8]) throws(CommandFailure) {
        try FileWriter.writeAll(bytes, to: STDOUT_FILENO, name: "the terminal")
    }
}
