import CPushShims
import Foundation
import PushTransport
import TestSupport
import TestTLS
import Testing

extension TransportTests {
    /// Tests of how connections are established, and of why they fail.
    @Suite struct TLSStreamTests {
        /// Connects with HTTP/2 on top and returns the reason for the failure.
        private func cause(
            _ change: (inout TestPeer.Options, TestAuthority) -> Void = { _, _ in },
            tls: ((TestAuthority) -> TLSIdentity)? = nil, endpoint: ((TestPeer) -> Endpoint)? = nil,
            script: HTTP2Script = HTTP2Script()
        ) throws -> CloseCause? {
            var cause: CloseCause?
            try Testbed.run { fixture in
                let peer = fixture.peer(script) { change(&$0, fixture.authority) }
                _ = try fixture.connect(to: peer, tls: tls?(fixture.authority), endpoint: endpoint?(peer)) {
                    $0.connectTimeout = .milliseconds(500)
                }
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                cause = fixture.recorder.closed
                #expect(fixture.recorder.opened == 0)
                // A peer that does not send or read does not notice this itself.
                peer.order { thread in thread.channels.forEach { $0.abort() } }
            }
            return cause
        }

        @Test func `a peer without ALPN is distinguished from a peer that fails`() throws {
            let found = try cause { options, _ in options.protocolName = nil }
            #expect(found == .protocolMissing(offered: "h2", chosen: ""))
        }

        @Test func `a certificate from an unknown authority is refused`() throws {
            let found = try cause(tls: { _ in TLSIdentity(trust: .pem(TestAuthority(name: "Other").pem)) })
            #expect(found?.label == "peer-certificate-refused")
        }

        @Test func `an expired certificate is refused`() throws {
            let found = try cause { options, authority in
                let expired = authority.issue(days: -10 ... -1)
                (options.certificatePEM, options.keyPEM) = (expired.certificatePEM, expired.keyPEM)
            }
            #expect(found?.label == "peer-certificate-refused")
            #expect(found?.description.contains("expired") == true)
        }

        @Test func `a certificate with another host name is refused`() throws {
            let found = try cause { options, authority in
                let other = authority.issue("other.example", alternativeNames: "DNS:other.example")
                (options.certificatePEM, options.keyPEM) = (other.certificatePEM, other.keyPEM)
            }
            #expect(found?.label == "peer-certificate-refused")
        }

        @Test func `a refused connection is reported with the text of the system's error`() throws {
            let listener = listeningSocket()
            let free = TestPeer.localPort(listener)
            close(listener)
            let found = try cause(endpoint: { _ in
                Endpoint(host: "localhost", port: free, connectTo: .init(host: "127.0.0.1", port: free))
            })
            #expect(found?.label == "connect-refused")
        }

        @Test func `a name that cannot be resolved is reported as such`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer()
                _ = try fixture.connect(
                    to: peer, endpoint: Endpoint(host: "no-such-host.invalid", port: peer.port))
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(["name-lookup", "connect-timeout"].contains(fixture.recorder.closed?.label))
            }
        }

        @Test func `a peer that accepts a connection and then stays silent is abandoned after the timeout`()
            throws
        {
            #expect(try cause { options, _ in options.isMute = true }?.label == "connect-timeout")
        }

        @Test func `a peer that never sends SETTINGS is abandoned after the timeout`() throws {
            var shy = HTTP2Script()
            shy.isShy = true
            #expect(try cause(script: shy)?.label == "connect-timeout")
        }

        @Test func `a peer that does not speak TLS is reported as such`() throws {
            let found = try cause { options, _ in
                options.isPlain = true
                options.kind = .bytes { channel in channel.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
            }
            #expect(found?.label == "tls")
        }

        @Test func `a peer that requires a certificate but receives none is reported as such`() throws {
            #expect(try cause { $0.clientAuthorityPEM = $1.pem }?.label == "our-certificate-refused")
        }

        @Test func `if a peer refuses our expired certificate, the refusal is reported`() throws {
            let found = try cause(
                { $0.clientAuthorityPEM = $1.pem },
                tls: { authority in
                    let ours = authority.issue("sender", alternativeNames: nil, days: -10 ... -1)
                    return TLSIdentity(
                        trust: .pem(authority.pem),
                        certificate: .init(chainPEM: ours.certificatePEM, keyPEM: ours.keyPEM))
                })
            #expect(found?.label == "our-certificate-refused")
            #expect(found?.description.contains("expired") == true)
        }

        @Test func `a key that does not match our certificate is reported before anything is sent`() throws {
            let found = try cause(
                { $0.clientAuthorityPEM = $1.pem },
                tls: { authority in
                    let (ours, other) = (authority.issue("sender"), authority.issue("other"))
                    return TLSIdentity(
                        trust: .pem(authority.pem),
                        certificate: .init(chainPEM: ours.certificatePEM, keyPEM: other.keyPEM))
                })
            #expect(found?.label == "our-identity-unusable")
        }

        @Test func `an unreadable file with authorities is a local error`() throws {
            let found = try cause(tls: { _ in TLSIdentity(trust: .file("/nowhere/ca.pem")) })
            #expect(found?.label == "our-identity-unusable")
        }

        @Test func `a client certificate that the peer requires is accepted`() throws {
            try Testbed.run { fixture in
                let ours = fixture.authority.issue("sender", alternativeNames: nil)
                let peer = fixture.peer { $0.clientAuthorityPEM = fixture.authority.pem }
                let tls = TLSIdentity(
                    trust: .pem(fixture.authority.pem),
                    certificate: .init(chainPEM: ours.certificatePEM, keyPEM: ours.keyPEM))
                let connection = try fixture.connect(to: peer, tls: tls)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                connection.drain()
            }
        }

        @Test func `a name that has no ASCII form is a configuration error and not a network error`() throws {
            let found = try cause(endpoint: { _ in
                Endpoint(host: String(repeating: "ä", count: 70), port: 443)
            })
            #expect(found?.label == "host-unusable")
            #expect(found?.isBeforeOpening == true)
        }

        @Test func `a TLS 1_2 peer that requests renegotiation is refused`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { $0.newestTLS = TLS1_2_VERSION }
                let connection = try fixture.connect(to: peer)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                peer.order { $0.channels[0].renegotiate() }
                // An OpenSSL server treats the refusal as the end of the connection.
                try fixture.until("the peer was notified that it does not") { peer.tally.closed == 1 }
                try fixture.until("it is closed") { fixture.recorder.closed != nil }
                #expect(connection.inFlight == 0)
            }
        }

        @Test func `a proxy forwards the connection, with and without credentials`() throws {
            for credentials in [nil, "dXNlcjpwYXNz"] {  // user:pass
                let proxy = TestProxy(credentials: credentials)
                defer { proxy.stop() }
                try Testbed.run { fixture in
                    let peer = fixture.peer()
                    var endpoint = Endpoint(host: "localhost", port: peer.port)
                    endpoint.proxy = HTTPProxy(
                        host: "127.0.0.1", port: proxy.port, user: "user", password: "pass")
                    let connection = try fixture.connect(to: peer, endpoint: endpoint)
                    try fixture.until("it is open") { fixture.recorder.opened == 1 }
                    try PushLike().submit(1, to: connection)
                    connection.flush()
                    try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                    connection.drain()
                }
            }
        }

        /// libcurl before 8.8 decodes user and password once more, each separately.
        @Test(arguments: [("user%2F", "a%41b"), ("a:b@c", "100%"), ("ä", "p ü;&+\u{7}"), ("user", "")])
        func `a proxy receives the user and the password unchanged, whatever characters they contain`(
            user: String, password: String
        ) throws {
            let proxy = TestProxy(credentials: Data("\(user):\(password)".utf8).base64EncodedString())
            defer { proxy.stop() }
            try Testbed.run { fixture in
                let peer = fixture.peer()
                var endpoint = Endpoint(host: "localhost", port: peer.port)
                endpoint.proxy = HTTPProxy(
                    host: "127.0.0.1", port: proxy.port, user: user, password: password)
                let connection = try fixture.connect(to: peer, endpoint: endpoint)
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                connection.drain()
            }
        }

        @Test func `a proxy's refusal is reported with its status`() throws {
            let proxy = TestProxy(refusal: "403 Forbidden")
            defer { proxy.stop() }
            let found = try cause(endpoint: { peer in
                Endpoint(
                    host: "localhost", port: peer.port, proxy: HTTPProxy(host: "127.0.0.1", port: proxy.port))
            })
            guard case .proxyRefused(status: 403, _) = found else {
                Issue.record("\(String(describing: found))")
                return
            }
        }

        @Test func `bytes flow in both directions, and closing the stream first sends the last bytes`() throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    options.protocolName = nil
                    options.kind = .bytes { channel in
                        if channel.received.count == 300_000 {
                            channel.send([UInt8](repeating: 7, count: 200_000))
                        }
                        if channel.received.count == 300_005 { channel.peer.record { $0.pings = 5 } }
                    }
                }
                let pipe = Pipe(bytes: [UInt8](repeating: 1, count: 300_000))
                var configuration = TLSStream.Configuration()
                configuration.socketSendBuffer = 4096
                let stream = try TLSStream(
                    loop: fixture.loop, endpoint: fixture.endpoint(peer),
                    tls: TLSIdentity(trust: .pem(fixture.authority.pem)), configuration: configuration,
                    delegate: pipe)
                try fixture.until("the answer has come") { pipe.received == 200_000 }
                _ = Array("last!".utf8).withUnsafeBytes { stream.append($0) }
                stream.close()
                try fixture.until("it is closed") { pipe.closed == .local }
                try fixture.until("the peer has the last bytes") { peer.tally.pings == 5 }
            }
        }

        @Test func `closing the stream while it connects ends it too`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { $0.isMute = true }
                let connection = try fixture.connect(to: peer)
                // The peer's kernel has accepted the connection, but the peer does not speak TLS.
                try fixture.until("the peer has taken it") { peer.tally.accepted == 1 }
                connection.close()
                #expect(fixture.recorder.closed == nil)
                try fixture.until("it is closed") { fixture.recorder.closed == .local }
                peer.order { $0.channels.first?.abort() }
            }
        }
    }
}

/// Sends all of its bytes and counts the received bytes.
private final class Pipe: TLSStreamDelegate {
    private var rest: ArraySlice<UInt8>
    var received = 0
    var closed: CloseCause?
    init(bytes: [UInt8]) { rest = bytes[...] }

    func streamOpened(_ stream: TLSStream) { streamWritable(stream) }
    func streamWritable(_ stream: TLSStream) {
        repeat {
            let taken = rest.withUnsafeBytes { stream.append($0) }
            rest = rest.dropFirst(taken)
        } while stream.flush() && !rest.isEmpty
    }
    func streamReadable(_ stream: TLSStream) {
        withUnsafeTemporaryAllocation(byteCount: 10_000, alignment: 1) { buffer in
            while true {
                let count = stream.receive(into: buffer)
                if count == 0 { break }
                received += count
            }
        }
    }
    func streamClosed(_ stream: TLSStream, cause: CloseCause) { closed = cause }
}
