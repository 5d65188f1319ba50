import Foundation
import Glibc
import Testing

/// A named pipe that is full: a writer waits for a reader that does not read.
final class FullPipe: Sendable {
    let path: String
    private let reader: Int32

    init(in folder: URL) throws {
        path = folder.appending(path: "log.pipe").path(percentEncoded: false)
        try #require(unsafe mkfifo(path, 0o600) == 0)
        reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        let writer = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(writer >= 0)
        defer { close(writer) }
        let filling = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
        while unsafe write(writer, filling, filling.count) > 0 {}
        try #require(errno == EAGAIN)
    }

    /// Returns the data that can be read now.
    func read() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(reader, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    /// Closes the reader: writing now fails, and sends a signal to any process that does not ignore it.
    func closeReader() { close(reader) }
}
