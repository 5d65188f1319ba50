import Foundation
import PushTransport
import TestSupport
import TestTLS
import Testing

extension TransportTests {
    /// A server that is neither ours nor nghttp2's.
    @Suite struct NginxPeerTests {
        private static let program = "/usr/sbin/nginx"
        /// Where nginx is not installed there is nothing to test, unless the tests are run for others.
        private static let isThere =
            FileManager.default.isExecutableFile(atPath: program)
            || ProcessInfo.processInfo.environment["CI"] != nil

        @Test(.enabled(if: isThere), arguments: [false, true])
        func `nginx answers all requests, however often it goes away`(indexesSecrets: Bool) throws {
            try TemporaryFolder.with { folder in
                try Testbed.run { fixture in
                    let (nginx, port) = try Self.start(in: folder, fixture.authority)
                    defer {
                        // It inherits a signal mask in which SIGTERM is blocked.
                        kill(nginx.processIdentifier, SIGKILL)
                        nginx.waitUntilExit()
                    }
                    var configuration = HTTP2Configuration()
                    configuration.indexesSecrets = indexesSecrets
                    let sender = try NginxSender(
                        fixture.loop, Endpoint(host: "localhost", port: port), fixture.authority.pem,
                        configuration)
                    try fixture.until("all are answered") {
                        sender.sendMore()
                        return sender.answered.count == NginxSender.total
                    }
                    #expect(sender.twice == 0 && sender.goodbyes > 1, "\(sender.goodbyes) GOAWAYs")
                    sender.stop()
                }
            }
        }

        private static func start(in folder: String, _ authority: TestAuthority) throws -> (
            Process, port: Int
        ) {
            let listener = listeningSocket(receiveBuffer: nil, isIPv6: false)
            let port = TestPeer.localPort(listener)
            close(listener)
            let identity = authority.issue()
            try Data(identity.certificatePEM).write(to: URL(filePath: folder + "/server.pem"))
            try Data(identity.keyPEM).write(to: URL(filePath: folder + "/server.key"))
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
                    ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
                    location / { add_header apns-unique-id $http_apns_id; return 200 "ok $http_authorization"; }
                  }
                }
                """
            try Data(text.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["-e", "stderr", "-p", folder, "-c", folder + "/nginx.conf"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            return (process, port)
        }
    }
}

/// Sends all requests once more that nginx did not look at, over one connection after the other.
private final class NginxSender: HTTP2Delegate {
    static let total = 5_000

    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let authority: [UInt8]
    private var configuration: HTTP2Configuration
    private let push: PushLike
    private var connection: HTTP2Connection?
    private var waiting = Array(0..<UInt64(NginxSender.total))
    var answered: Set<UInt64> = []
    var twice = 0
    var goodbyes = 0

    init(
        _ loop: TransportLoop, _ endpoint: Endpoint, _ authority: [UInt8], _ configuration: HTTP2Configuration
    ) throws {
        (self.loop, self.endpoint, self.authority, self.configuration) = (
            loop, endpoint, authority, configuration
        )
        push = try PushLike()
        self.configuration.wantedHeaders = ["apns-unique-id"]
    }

    func sendMore() {
        if connection == nil {
            connection = try? HTTP2Connection(
                loop: loop, endpoint: endpoint, tls: TLSIdentity(trust: .pem(authority)),
                configuration: configuration, delegate: self)
        }
        while let tag = waiting.last, let connection {
            let body = String(repeating: "b", count: Int(tag % 3_000))
            guard push.submit(tag, to: connection, body: body) else { break }
            waiting.removeLast()
        }
        connection?.flush()
    }
    func stop() { connection?.close() }

    func connectionOpened(_ connection: HTTP2Connection) {}
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "ok bearer abc.def")
        let id = answer.headers[0].map { String(decoding: $0, as: UTF8.self) }
        #expect(id == "id-\(answer.tag)")
        if !answered.insert(answer.tag).inserted { twice += 1 }
    }
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending) {
        // nginx may close on what it has not read, which takes its last answers along.
        waiting.append(tag)
    }
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) { goodbyes += 1 }
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {}
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) { self.connection = nil }
}
