import CProbeShims
import Testing
import pushsink

/// A running sink that serves the old binary gateway and the feedback service.
final class BinarySinkProbe {
    let sink: Sink
    let gateway: UInt16
    let feedback: UInt16

    init(_ arguments: [String] = [], rules: String = "", list: String? = nil) throws {
        let directory = try Files.makeTemporaryDirectory()
        self.directory = directory
        try Files.replace("\(directory)/rules", with: Array(rules.utf8))
        if let list { try Files.replace("\(directory)/list", with: Array(list.utf8)) }
        sink = try Sink(
            [
                "--binary-port", "0", "--feedback-port", "0", "--binary-rules", "\(directory)/rules",
                "--binary-log", "\(directory)/log", "--feedback", "\(directory)/list",
            ] + arguments)
        gateway = try sink.port(of: "binary")
        feedback = try sink.port(of: "feedback")
    }

    private let directory: String

    deinit { Files.removeDirectory(directory) }

    /// Replaces the list that the feedback service sends.
    func replaceList(_ text: String) throws { try Files.replace("\(directory)/list", with: Array(text.utf8)) }

    /// Connects to the gateway with a client certificate from the sink's set, or without a certificate if
    /// `identity` is `nil`.
    func connect(identity: String? = CertificateSet.Name.client) throws -> ByteClient {
        try ByteClient(sink, port: gateway, identity: identity)
    }

    /// Returns all bytes that the feedback service sends, and how the connection ended.
    func askForFeedback() throws -> (bytes: [UInt8], end: ByteClient.End) {
        try ByteClient(sink, port: feedback, identity: CertificateSet.Name.client).readAll()
    }

    /// Ends the sink. Returns the counts of the gateway and of the service, which must add up, and the log of
    /// the gateway.
    func stop() throws -> (gateway: Summary, feedback: Summary, lines: [LogLine]) {
        let (summary, _) = try sink.stop()
        let found = try #require(summary.gateways)
        let gateway = try #require(found["binary"])
        let ended = gateway.accepted + gateway.rejected + gateway.silent + gateway.cut
        #expect(ended == gateway.requests && gateway.waiting == 0)
        let lines = try LogLine.all(in: "\(directory)/log")
        #expect(lines.count == gateway.requests)
        return (gateway, try #require(found["feedback"]), lines)
    }
}

/// A TLS connection that sends and shows bytes.
final class ByteClient {
    enum End: Equatable { case closed, reset, broken, late }

    private let raw: OpaquePointer

    init(_ sink: Sink, port: UInt16, identity: String?) throws {
        let authority = sink.certificates.path(CertificateSet.Name.authority)
        let identity = identity.map(sink.certificates.path)
        let made: OpaquePointer?
        if let identity {
            made = identity.withCString { push_probe_stream_make(port, authority, $0) }
        } else {
            made = push_probe_stream_make(port, authority, nil)
        }
        raw = try #require(made)
    }

    deinit { push_probe_stream_free(raw) }

    /// Writes the bytes. Returns `nil` if all bytes were written.
    @discardableResult
    func write(_ bytes: [UInt8]) -> End? {
        let result = push_probe_stream_write(raw, bytes, Int32(bytes.count), 10_000)
        return result < 0 ? Self.end(result) : nil
    }

    /// Returns all bytes until the end of the connection, or until nothing has arrived for this duration.
    func readAll(within milliseconds: Int32 = 10_000) -> (bytes: [UInt8], end: End) {
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = push_probe_stream_read(raw, &room, Int32(room.count), milliseconds)
            guard count > 0 else { return (all, Self.end(count)) }
            all += room[..<Int(count)]
        }
    }

    private static func end(_ result: Int32) -> End {
        switch result {
        case Int32(PUSH_PROBE_STREAM_CLOSED): .closed
        case Int32(PUSH_PROBE_STREAM_RESET): .reset
        case Int32(PUSH_PROBE_STREAM_LATE): .late
        default: .broken
        }
    }
}
