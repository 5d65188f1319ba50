import Foundation
import PushTransport
import TestSupport
import TestTLS
import Testing

extension TransportTests {
    /// Tests with third-party servers as they are installed: nginx, and nghttp2's server with settings that
    /// no gateway has.
    @Suite struct ForeignServerTests {
        @Test(arguments: [false, true])
        func `nginx answers all requests, however often it closes the connection`(indexesSecrets: Bool) throws
        {
            guard InstalledProgram.isThere(ForeignServer.nginxProgram, debianPackage: "nginx") else {
                return
            }
            try TemporaryFolder.with { folder in
                try Testbed.run { fixture in
                    let server = try ForeignServer.nginx(in: folder, fixture.authority)
                    defer { server.stop() }
                    let sender = try PersistentSender(
                        fixture.loop, server.endpoint, fixture.authority.pem, indexesSecrets: indexesSecrets
                    ) { answer, _ in
                        #expect(String(decoding: answer.body, as: UTF8.self) == "ok bearer abc.def")
                        let id = answer.headers[0].map { String(decoding: $0, as: UTF8.self) }
                        #expect(id == "id-\(answer.tag)")
                    }
                    try sender.sendAll(fixture)
                    #expect(sender.twice == 0 && sender.goodbyes > 1, "\(sender.goodbyes) GOAWAYs")
                    sender.stop()
                }
            }
        }

        /// Tables of zero bytes, of a few bytes and of more than the default; padded frames; and few streams.
        @Test(arguments: [
            ["--header-table-size=0", "--padding=200"],
            ["--header-table-size=150", "--max-concurrent-streams=1"],
            ["--header-table-size=64K", "--encoder-header-table-size=0", "--padding=7"],
            ["--window-bits=8", "--connection-window-bits=16", "--max-concurrent-streams=700"],
        ])
        func `nghttpd answers all requests`(options: [String]) throws {
            let program = ForeignServer.nghttpdProgram
            guard InstalledProgram.isThere(program, debianPackage: "nghttp2-server") else { return }
            try TemporaryFolder.with { folder in
                try Testbed.run { fixture in
                    let server = try ForeignServer.nghttpd(options, in: folder, fixture.authority)
                    defer { server.stop() }
                    let sender = try PersistentSender(
                        fixture.loop, server.endpoint, fixture.authority.pem, indexesSecrets: true
                    ) { answer, body in #expect(Array(answer.body) == Array(body.utf8)) }
                    try sender.sendAll(fixture)
                    #expect(sender.twice == 0 && sender.goodbyes == 0)
                    sender.stop()
                }
            }
        }
    }
}

/// The process of a server, and its address.
private struct ForeignServer {
    let endpoint: Endpoint
    private let process: Process

    static let nginxProgram = "/usr/sbin/nginx"
    static let nghttpdProgram = "/usr/sbin/nghttpd"

    /// - Parameter arguments: Receives the files of the certificate and the key.
    private init(
        _ program: String, on port: Int, in folder: String, _ authority: TestAuthority,
        _ arguments: (_ certificate: String, _ key: String) throws -> [String]
    ) throws {
        let identity = authority.issue()
        let (certificate, key) = (folder + "/server.pem", folder + "/server.key")
        try Data(identity.certificatePEM).write(to: URL(filePath: certificate))
        try Data(identity.keyPEM).write(to: URL(filePath: key))
        endpoint = Endpoint(host: "localhost", port: port)
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = try arguments(certificate, key)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        // The process inherits a signal mask in which SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func freePort() -> Int {
        let listener = listeningSocket(receiveBuffer: nil, isIPv6: false)
        defer { close(listener) }
        return TestPeer.localPort(listener)
    }

    static func nginx(in folder: String, _ authority: TestAuthority) throws -> ForeignServer {
        let port = freePort()
        return try ForeignServer(nginxProgram, on: port, in: folder, authority) { certificate, key in
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder)/nginx-\($0);"
            }
            let text = """
                daemon off; master_process off; pid \(folder)/nginx.pid; error_log stderr;
                events {}
                http {
                  access_log off; \(temporary.joined(separator: " "))
                  keepalive_requests 700; http2_max_concurrent_streams 60;
                  server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(certificate); ssl_certificate_key \(key);
                    location / { add_header apns-unique-id $http_apns_id; return 200 "ok $http_authorization"; }
                  }
                }
                """
            try Data(text.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
            return ["-e", "stderr", "-p", folder, "-c", folder + "/nginx.conf"]
        }
    }

    /// Starts a server that answers with the body of the request.
    static func nghttpd(
        _ options: [String], in folder: String, _ authority: TestAuthority
    ) throws -> ForeignServer {
        let port = freePort()
        return try ForeignServer(nghttpdProgram, on: port, in: folder, authority) { certificate, key in
            ["--address=127.0.0.1", "--echo-upload"] + options + ["\(port)", key, certificate]
        }
    }
}

/// Sends all requests that a server did not process again, over one connection after another.
private final class PersistentSender: HTTP2Delegate {
    static let total = 5_000

    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let authority: [UInt8]
    private var configuration = HTTP2Configuration()
    private let check: (HTTP2Answer, _ body: String) -> Void
    private let push: PushLike
    private var connection: HTTP2Connection?
    private var waiting = Array(0..<UInt64(PersistentSender.total))
    var answered: Set<UInt64> = []
    var twice = 0
    var goodbyes = 0

    init(
        _ loop: TransportLoop, _ endpoint: Endpoint, _ authority: [UInt8], indexesSecrets: Bool,
        check: @escaping (HTTP2Answer, _ body: String) -> Void
    ) throws {
        (self.loop, self.endpoint, self.authority, self.check) = (loop, endpoint, authority, check)
        push = try PushLike()
        configuration.indexesSecrets = indexesSecrets
        configuration.wantedHeaders = ["apns-unique-id"]
    }

    private static func body(of tag: UInt64) -> String { String(repeating: "b", count: Int(tag % 3_000)) }

    func sendAll(_ fixture: Testbed) throws {
        try fixture.until("all are answered") {
            sendMore()
            return answered.count == Self.total
        }
    }

    private func sendMore() {
        if connection == nil {
            connection = try? HTTP2Connection(
                loop: loop, endpoint: endpoint, tls: TLSIdentity(trust: .pem(authority)),
                configuration: configuration, delegate: self)
        }
        while let tag = waiting.last, let connection {
            guard push.submit(tag, to: connection, body: Self.body(of: tag)) else { break }
            waiting.removeLast()
        }
        connection?.flush()
    }
    func stop() { connection?.close() }

    func connectionOpened(_ connection: HTTP2Connection) {}
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        #expect(answer.status == 200 && answer.isComplete)
        check(answer, Self.body(of: answer.tag))
        if !answered.insert(answer.tag).inserted { twice += 1 }
    }
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Outcome) {
        // A server may close a connection while it has unread data, and its last answers are then lost.
        waiting.append(tag)
    }
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) { goodbyes += 1 }
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {}
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) { self.connection = nil }
}
