import PushTransport
import TestTLS
import Testing

extension TransportTests {
    @Suite struct EndpointTests {
        @Test(arguments: [
            ("api.example.com", 443, "api.example.com", "api.example.com:443"),
            ("127.0.0.1", 2197, "127.0.0.1:2197", "127.0.0.1:2197"),
            ("::1", 443, "[::1]", "[::1]:443"),
            ("2001:db8::17", 2197, "[2001:db8::17]:2197", "[2001:db8::17]:2197"),
            ("[2001:db8::17]", 2197, "[2001:db8::17]:2197", "[2001:db8::17]:2197"),
        ])
        func `an IPv6 address is written in brackets before a port`(
            host: String, port: Int, authority: String, description: String
        ) {
            #expect(Endpoint(host: host, port: port).authority == authority)
            #expect("\(Endpoint(host: host, port: port))" == description)
            #expect("\(HTTPProxy(host: host, port: port))" == description)
        }

        /// Connects, receives the answer to one request, and drains.
        private func serve(
            _ change: (inout TestPeer.Options) -> Void = { _ in }, to endpoint: (TestPeer) -> Endpoint
        ) throws {
            try Testbed.run { fixture in
                let peer = fixture.peer(HTTP2Script(), change)
                let connection = try fixture.connect(to: peer, endpoint: endpoint(peer))
                try fixture.until("it is open") { fixture.recorder.opened == 1 }
                try PushLike(authority: connection.endpoint.authority).submit(1, to: connection)
                connection.flush()
                try fixture.until("it is answered") { fixture.recorder.answered200 == 1 }
                #expect(peer.tally.requests[0].field(":authority") == connection.endpoint.authority)
                connection.drain()
            }
        }

        @Test(arguments: ["::1", "[::1]"]) func `an IPv6 host can be reached through another connect address`(
            host: String
        ) throws {
            try serve { peer in
                Endpoint(host: host, port: 443, connectTo: .init(host: "127.0.0.1", port: peer.port))
            }
        }

        @Test func `an IPv6 host can be reached through a proxy`() throws {
            let proxy = TestProxy()
            defer { proxy.stop() }
            try serve { peer in
                Endpoint(host: "::1", port: peer.port, proxy: HTTPProxy(host: "127.0.0.1", port: proxy.port))
            }
        }

        @Test(.enabled(if: hasIPv6)) func `an IPv6 host can be reached directly or as the connect address`()
            throws
        {
            try serve {
                $0.isIPv6 = true
            } to: {
                Endpoint(host: "::1", port: $0.port)
            }
            try serve {
                $0.isIPv6 = true
            } to: {
                Endpoint(host: "localhost", port: 443, connectTo: .init(host: "::1", port: $0.port))
            }
        }

        @Test(.enabled(if: hasIPv6)) func `an exchange can reach an IPv6 host too`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    (options.isIPv6, options.protocolName) = (true, nil)
                    options.kind = .bytes { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
                }
                var request = HTTPRequest("GET", Endpoint(host: "::1", port: peer.port), path: "/")
                request.tls = TLSIdentity(trust: .pem(fixture.authority.pem))
                var result: HTTPResult?
                try HTTPExchange(loop: fixture.loop, request: request) { result = $0 }
                try fixture.until("it is completed") { result != nil }
                guard case .response(let response) = result else {
                    Issue.record("\(String(describing: result))")
                    return
                }
                #expect(response.status == 200)
            }
        }

        @Test(arguments: [
            "", "two words", "name:80", "https://name", "name/path", "[::1", "user@name", "n%61me",
        ])
        func `an impossible host name is refused before any connection attempt`(host: String) throws {
            try Testbed.run { fixture in
                let proxied = Endpoint(host: "localhost", port: 443, proxy: HTTPProxy(host: host, port: 3128))
                let detoured = Endpoint(host: "localhost", port: 443, connectTo: .init(host: host, port: 443))
                for endpoint in [Endpoint(host: host, port: 443), detoured, proxied] {
                    let error = try #require(throws: TransportError.self) {
                        try HTTP2Connection(
                            loop: fixture.loop, endpoint: endpoint, tls: TLSIdentity(),
                            configuration: HTTP2Configuration(), delegate: fixture.recorder)
                    }
                    #expect(error.description.contains("'\(host)'"))
                }
            }
        }
    }
}
