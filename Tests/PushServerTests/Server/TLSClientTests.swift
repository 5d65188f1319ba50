import Foundation
import PushConfig
import PushModel
import PushServer
import TestSupport
import TestTLS
import Testing

/// Tests of HTTPS with clients that use TLS in ways in which libcurl does not: Python's `ssl` and
/// `openssl s_client`.
@Suite struct TLSClientTests {
    @Test func `the server closes a connection with close_notify after the last answer`() async throws {
        // Without close_notify, recv throws SSLEOFError.
        let output = try await Self.python(
            """
            client.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
            answer = b""
            while bytes := client.recv(4096): answer += bytes
            print(client.version(), answer.split(b"\\r\\n")[0].decode())
            """)
        #expect(output == "TLSv1.3 HTTP/1.1 200 OK\n")
    }

    @Test func `a client that sends close_notify receives the answers to its requests`() async throws {
        let output = try await Self.python(Self.halfClosing + "print(answers().count(b'200 OK'))")
        #expect(output == "3\n")
    }

    @Test func `many answers reach a client that first sends all requests, in full and in order`()
        async throws
    {
        let output = try await Self.python(
            """
            count = 300
            client.sendall(b"GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" * count)
            reader, size = client.makefile("rb", 4096), 0
            for _ in range(count):
                assert reader.readline() == b"HTTP/1.1 200 OK\\r\\n"
                head = {}
                while (line := reader.readline()) != b"\\r\\n":
                    name, value = line.decode().split(":", 1)
                    head[name.lower()] = value.strip()
                body = b""
                if "content-length" in head: body = reader.read(int(head["content-length"]))
                else:
                    while length := int(reader.readline(), 16): body += reader.read(length); reader.readline()
                    reader.readline()
                assert b"pushmta_build_info" in body and body.endswith(b"\\n")
                size += len(body)
            print(size > count * 1000)
            """)
        #expect(output == "True\n")
    }

    @Test func `HTTP/1.1 is chosen by ALPN, and a client that offers only HTTP/2 gets none`() async throws {
        for (offered, chosen) in [("'h2', 'http/1.1'", "http/1.1"), ("'h2'", "None")] {
            let output = try await Self.python(
                "print(client.selected_alpn_protocol())", context: "context.set_alpn_protocols([\(offered)])")
            #expect(output == "\(chosen)\n")
        }
    }

    @Test func `TLS 1.2 and its tickets work, and earlier versions are refused`() async throws {
        let resumed = try await Self.python(
            """
            session = client.session
            with connect(session) as second: print(second.version(), second.session_reused)
            """, context: "context.maximum_version = ssl.TLSVersion.TLSv1_2")
        #expect(resumed == "TLSv1.2 True\n")
        let refused = try await Self.python(
            "print(client.version())",
            context: """
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = ssl.TLSVersion.TLSv1_1
                """)
        #expect(refused.contains("PROTOCOL_VERSION"), "\(refused)")
    }

    @Test func `bytes that are not TLS end only their own connection`() async throws {
        let output = try await Self.python(
            """
            other = socket.create_connection(("127.0.0.1", port), 60)
            other.sendall(b"\\x16\\x03\\x01\\x00\\x20" + b"x" * 32)
            # An alert record: type 21.
            print(other.recv(4096)[0], end=" ")
            try:
                while other.recv(4096): pass
            except ConnectionResetError: pass
            # A record that was not encrypted for this connection.
            raw = socket.socket(fileno=os.dup(client.fileno()))
            raw.settimeout(60)
            raw.sendall(b"\\x17\\x03\\x03\\x00\\x20" + b"y" * 32)
            try:
                while client.recv(4096): pass
            except ssl.SSLError as error: print("ALERT" in str(error), end=" ")
            with connect() as third: print(third.version())
            """)
        #expect(output == "21 True TLSv1.3\n")
    }

    @Test func `the server sends the certificates of its chain`() async throws {
        let output = try await Self.with { web, _ in
            try await ProgramOutput.of(
                "openssl",
                ["s_client", "-connect", web.address, "-servername", "localhost", "-showcerts"])
        }
        #expect(output.components(separatedBy: "BEGIN CERTIFICATE").count == 3, "\(output)")
    }

    @Test func `a key that is too short is refused with OpenSSL's reason`() async throws {
        try await TemporaryFolder.with { folder in
            let files = TLSTestFiles(folder)
            _ = try await ProgramOutput.of(
                "openssl",
                [
                    "req", "-x509", "-newkey", "rsa:512", "-nodes", "-subj", "/CN=localhost",
                    "-out", files.chain, "-keyout", files.key,
                ])
            let error = #expect(throws: WebError.self) {
                _ = try WebFixture(files.name)
            }
            #expect(error?.description.contains("key too small; use another certificate") == true)
        }
    }

    @Test func `the key of session tickets is replaced every day`() throws {
        try TemporaryFolder.with { folder in
            let files = TLSTestFiles(folder)
            try files.write(TestAuthority().issue())
            let start = MonotonicTime(nanoseconds: 1)
            let tls = try WebTLS(
                TLSFiles(certificateChain: files.chain, privateKey: files.key), at: start)
            let first = tls.identity
            #expect(tls.refresh(at: start.advanced(bySeconds: 86_399)) == nil && tls.identity === first)
            #expect(tls.refresh(at: start.advanced(bySeconds: 86_400)) == nil && tls.identity !== first)
            // An unusable file does not end the use of the pair that was read.
            try files.write(files.key, Array("nonsense".utf8))
            let second = tls.identity
            guard case .refused = tls.refresh(at: start.advanced(bySeconds: 90_000)) else {
                Issue.record("the file is usable")
                return
            }
            #expect(tls.refresh(at: start.advanced(bySeconds: 900_000)) == nil && tls.identity === second)
        }
    }

    // MARK: Clients

    /// Statements that send three requests and close_notify over `plain`, and define `answers`.
    private static let halfClosing = """
        plain = socket.create_connection(("127.0.0.1", port), 60)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
        def step(work):
            while True:
                try: return work()
                except ssl.SSLWantReadError:
                    plain.sendall(outgoing.read())
                    more = plain.recv(65536)
                    if more: incoming.write(more)
                    else: incoming.write_eof()
        step(tls.do_handshake)
        tls.write(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" * 3)
        try: tls.unwrap()
        except ssl.SSLWantReadError: pass
        plain.sendall(outgoing.read())
        def answers():
            bytes = b""
            try:
                while more := step(lambda: tls.read(65536)): bytes += more
            except ssl.SSLZeroReturnError: pass
            return bytes

        """

    private static func with<Value>(
        _ story: (WebFixture, _ authority: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryFolder.with { folder in
            let (files, authority) = (TLSTestFiles(folder), TestAuthority())
            let identity = authority.issue()
            try files.write(identity)
            try files.write(files.chain, identity.certificatePEM + authority.pem)
            let trusted = folder + "/authority.pem"
            try files.write(trusted, authority.pem)
            let web = try WebFixture(files.name)
            defer { web.close() }
            return try await story(web, trusted)
        }
    }

    /// Runs a Python program with a connected `client`.
    /// - Parameter context: Statements that change the client's `context`.
    /// - Returns: The output of the program.
    private static func python(_ body: String, context: String = "") async throws -> String {
        try await with { web, authority in
            let port = try #require(web.address.split(separator: ":").last)
            let program = """
                import os, socket, ssl
                port = \(port)
                context = ssl.create_default_context(cafile="\(authority)")
                \(context)
                def connect(session=None):
                    plain = socket.create_connection(("127.0.0.1", port), 60)
                    return context.wrap_socket(
                        plain, server_hostname="localhost", suppress_ragged_eofs=False, session=session)
                client = connect()
                \(body)
                """
            return try await ProgramOutput.of("python3", ["-c", program])
        }
    }
}
