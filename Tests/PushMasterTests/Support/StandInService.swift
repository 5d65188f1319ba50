import CPushShims
import Glibc
import PushMaster
import Testing

/// A replacement for the service on the socket of an instance. It handles the connections one after the
/// other, as the test requires.
struct StandInService {
    let storePath: String
    private let listener: Int32
    private let thread: OtherThread

    init(in folder: String, _ serve: @escaping @Sendable (Int32) -> Void) throws {
        storePath = folder + "/store"
        let listener = unsafe push_unix_listen(LocalSocket.path(forStore: storePath))
        try #require(listener >= 0)
        self.listener = listener
        thread = OtherThread {
            while true {
                var item = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&item, 1, 120_000) == 1 else { return }
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        #expect(thread.hasEnded())
        close(listener)
    }

    /// Returns the next request: its head and its body. Empty at the end of the connection.
    static func request(from client: Int32) -> String {
        var text = ""
        var byte: UInt8 = 0
        while !text.hasSuffix("\r\n\r\n") {
            guard unsafe read(client, &byte, 1) == 1 else { return text }
            text.append(Character(UnicodeScalar(byte)))
        }
        let length = text.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        for _ in 0..<(length.flatMap { Int($0.dropFirst(16)) } ?? 0) {
            guard unsafe read(client, &byte, 1) == 1 else { break }
            text.append(Character(UnicodeScalar(byte)))
        }
        return text
    }

    static func say(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe push_send(client, bytes, bytes.count)
    }

    static func answer(_ status: Int, _ body: String = "{}") -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
