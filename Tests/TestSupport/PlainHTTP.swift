import Foundation
import Glibc

/// An HTTP/1.1 client that sends exactly the bytes that a test requires, on a plain socket, even if no client
/// should send them.
package enum PlainHTTP {
    package struct Reply: Sendable {
        package var status: Int
        package var head: String
        package var body: String

        package func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter address: For example `127.0.0.1:8080`.
    /// - Parameter fields: Header fields in the form `Name: value`.
    package static func get(
        _ path: String, at address: String, method: String = "GET", fields: String...
    ) throws -> Reply {
        let head = ["\(method) \(path) HTTP/1.1", "Host: \(address)", "Connection: close"] + fields
        let bytes = try exchange(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8), at: address)
        guard let reply = reply(bytes) else {
            throw Failure(description: "no HTTP: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        return reply
    }

    /// Sends a form.
    package static func post(_ path: String, _ body: [UInt8], at address: String) throws -> Reply {
        let head = """
            POST \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\
            Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\n
            """
        guard let reply = reply(try exchange(Array(head.utf8) + body, at: address)) else {
            throw Failure(description: "no HTTP in the answer to \(path)")
        }
        return reply
    }

    /// Returns the reply that these bytes contain.
    package static func reply(_ bytes: [UInt8]) -> Reply? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            return nil
        }
        let reply = Reply(status: status, head: head, body: String(text[end.upperBound...]))
        guard reply.header("Transfer-Encoding") == "chunked" else { return reply }
        return Reply(status: status, head: head, body: unchunked(Array(reply.body.utf8)))
    }

    private static func unchunked(_ bytes: [UInt8]) -> String {
        var (rest, body) = (bytes[...], [UInt8]())
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            body += rest.dropFirst(end + 2 - rest.startIndex).prefix(count)
            rest = rest.dropFirst(end + 2 - rest.startIndex + count + 2)
        }
        return String(decoding: body, as: UTF8.self)
    }

    /// Sends bytes and reads until the server closes.
    package static func exchange(_ bytes: [UInt8], at address: String) throws -> [UInt8] {
        let socket = try connect(to: address)
        defer { close(socket) }
        try send(bytes, on: socket)
        return readToEnd(of: socket)
    }

    /// Listens on a free port of this machine.
    package static func listen() throws -> (descriptor: Int32, port: Int) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0, Glibc.listen(descriptor, 64) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(descriptor, address, &length)
            }
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw Failure(description: "cannot listen: error \(number)")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Returns a port that was free just now, for programs that cannot choose one themselves.
    package static func unusedPort() throws -> Int {
        let (descriptor, port) = try listen()
        close(descriptor)
        return port
    }

    package static func connect(to address: String) throws -> Int32 {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Failure(description: "no address: \(address)")
        }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let result = unsafe withUnsafePointer(to: &place) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw Failure(description: "cannot connect to \(address): error \(number)")
        }
        return descriptor
    }

    /// Sends bytes. Bytes that the server no longer accepts are not sent.
    package static func send(_ bytes: [UInt8], on descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends the bytes that the server accepts at once, and no others.
    /// - Returns: The number of bytes that the server accepted. A value below 0 is an error: EAGAIN if the
    ///   server accepts nothing now.
    @discardableResult
    package static func sendWhatFits(_ bytes: [UInt8], on descriptor: Int32) -> Int {
        unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(
                descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    /// Reports whether the server has closed the connection. Reads and discards bytes that it sent before.
    /// Does not wait.
    package static func isClosed(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return true }
            if count < 0 && errno == EAGAIN { return false }
        }
    }

    /// Reads until the text is complete, or until the server closes.
    package static func readSome(from descriptor: Int32, until isWhole: (String) -> Bool) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !isWhole(text) {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    package static func readToEnd(of descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }
}

/// The values from `/metrics`, keyed by `name{labels}`.
package struct Scrape: Sendable {
    package let samples: [String: Double]
    package let text: String

    package init(_ text: String) {
        self.text = text
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        self.samples = samples
    }

    package init(of address: String) throws { self.init(try PlainHTTP.get("/metrics", at: address).body) }

    /// Returns the samples of one metric, including those of a histogram.
    package func samples(of name: String) -> [String: Double] {
        samples.filter { key, _ in
            let bare = key.prefix { $0 != "{" }
            return ["", "_bucket", "_sum", "_count"].contains { bare == "\(name)\($0)" }
        }
    }

    package var names: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
            String($0.split(separator: " ")[2])
        }
    }

    /// Returns one sample from a newly requested page.
    package static func value(_ sample: String, at address: String) throws -> Double? {
        try Scrape(of: address)[sample]
    }

    package subscript(_ sample: String) -> Double? { samples[sample] }
}
