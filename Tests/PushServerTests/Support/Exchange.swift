import Foundation
import Glibc
import TestSupport

/// The server's answers on one connection.
struct Exchange {
    /// The heads of the answers, in order.
    var heads: [String]
    /// The text after each head.
    var bodies: [String]
    var isClosed: Bool

    var statuses: [String] { heads.map { String($0.split(separator: " ").dropFirst().first ?? "") } }
    /// Whether the last answer announces the end of the connection.
    var announcesEnd: Bool { heads.last?.lowercased().contains("\r\nconnection: close") == true }

    /// Sends the text, and reads until the server closes or has given more answers than expected.
    static func of(_ text: String, answers: Int, with web: WebFixture) throws -> Exchange {
        try of(text, then: [], answers: answers, with: web)
    }

    /// Sends a text, and then sends each of the following texts once the server has answered with the text
    /// that precedes it.
    static func of(
        _ text: String, then following: [(after: String, text: String)], answers: Int, with web: WebFixture
    ) throws -> Exchange {
        let socket = try PlainHTTP.connect(to: web.address)
        defer { close(socket) }
        try PlainHTTP.send(Array(text.utf8), on: socket)
        var read = ""
        for next in following {
            read += PlainHTTP.readSome(from: socket) { (read + $0).contains(next.after) }
            try PlainHTTP.send(Array(next.text.utf8), on: socket)
        }
        read += PlainHTTP.readSome(from: socket) { count(of: read + $0) > answers }
        return Exchange(read, isClosed: count(of: read) <= answers)
    }

    private static func count(of text: String) -> Int { text.components(separatedBy: "HTTP/1.1 ").count - 1 }

    /// - Parameter isClosed: Whether the stream has ended, so that no more answers follow.
    private init(_ read: String, isClosed: Bool) {
        let parts = read.components(separatedBy: "HTTP/1.1 ").dropFirst()
            .map { "HTTP/1.1 \($0)".components(separatedBy: "\r\n\r\n") }
        heads = parts.map { $0[0] }
        bodies = parts.map { $0.dropFirst().joined(separator: "\r\n\r\n") }
        self.isClosed = isClosed
    }
}
