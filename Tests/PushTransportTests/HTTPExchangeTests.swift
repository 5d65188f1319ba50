import CPushShims
import PushTransport
import Synchronization
import TestTLS
import Testing

extension TransportTests {
    @Suite struct HTTPExchangeTests {
        /// Runs one exchange with a peer that calls `answer` when it has the complete request.
        private func exchange(
            isPlain: Bool = false, _ change: (inout HTTPRequest) -> Void = { _ in },
            _ answer: @escaping @Sendable (PeerChannel) -> Void
        ) throws -> (result: HTTPResult, request: String) {
            var result: HTTPResult?
            let seen = Seen()
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    options.protocolName = nil
                    options.isPlain = isPlain
                    options.kind = .bytes { channel in
                        let text = String(decoding: channel.received, as: UTF8.self)
                        guard text.contains("\r\n\r\n"), !text.contains("POST") || text.hasSuffix("=body")
                        else { return }
                        seen.text.withLock { $0 = text }
                        answer(channel)
                    }
                }
                var request = HTTPRequest("POST", fixture.endpoint(peer), path: "/token", isSecure: !isPlain)
                request.tls = TLSIdentity(trust: .pem(fixture.authority.pem))
                request.headers = [.init("Content-Type", "application/x-www-form-urlencoded")]
                request.body = Array("grant=body".utf8)
                change(&request)
                try HTTPExchange(loop: fixture.loop, request: request) { outcome in
                    #expect(result == nil, "completed twice")
                    result = outcome
                }
                try fixture.until("it is completed") { result != nil }
            }
            return (try #require(result), seen.text.withLock { $0 })
        }

        @Test(arguments: [false, true]) func `a POST receives its answer`(isPlain: Bool) throws {
            let (result, request) = try exchange(isPlain: isPlain) { channel in
                channel.send("HTTP/1.1 201 Created\r\nRetry-After:  7 \r\nContent-Length: 5\r\n\r\nhello")
            }
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 201)
            #expect(response.header("retry-after") == "7")
            #expect(String(decoding: response.body, as: UTF8.self) == "hello")
            #expect(request.hasPrefix("POST /token HTTP/1.1\r\n"))
            #expect(request.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
            #expect(request.contains("Content-Length: 10\r\n") && !request.contains("Expect"))
        }

        @Test func `a GET request has no body`() throws {
            let (result, request) = try exchange {
                $0.method = "GET"
                $0.body = nil
            } _: { channel in
                channel.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 200 && response.body.isEmpty)
            #expect(request.hasPrefix("GET /token HTTP/1.1\r\n"))
        }

        @Test func `the path and the headers arrive unchanged`() throws {
            let (_, request) = try exchange {
                let headers: [HTTPRequest.Header] = [.init("x-empty", ""), .init("x-odd", "a;b: %41 c")]
                var request = HTTPRequest("GET", $0.endpoint, path: "/a/../b/./%41?c=../d", headers: headers)
                request.tls = $0.tls
                $0 = request
            } _: { channel in
                channel.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            #expect(request.hasPrefix("GET /a/../b/./%41?c=../d HTTP/1.1\r\n"))
            #expect(request.contains("\r\nx-empty:") && request.contains("\r\nx-odd: a;b: %41 c\r\n"))
        }

        @Test func `a line break in a header value is refused before any connection attempt`() throws {
            try Testbed.run { fixture in
                var request = HTTPRequest("GET", Endpoint(host: "localhost", port: 443), path: "/")
                request.headers = [.init("x-name", "a\r\nx-other: b")]
                let error = try #require(throws: TransportError.self) {
                    try HTTPExchange(loop: fixture.loop, request: request) { _ in }
                }
                #expect(error.description.contains("x-name") && !error.description.contains("x-other"))
            }
        }

        @Test func `an HTML page from a proxy is an ordinary answer, which the caller judges`() throws {
            let (result, _) = try exchange { channel in
                channel.send(
                    "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
            }
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 502 && response.header("content-type") == "text/html")
        }

        static let floods: [(first: String, again: String)] = [
            ("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
            ("HTTP/1.1 200 OK\r\n", "x-line: \(String(repeating: "a", count: 100))\r\n"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "ext;"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "trailer: a\r\n"),
        ]

        @Test(arguments: floods)
        func `an answer that is hidden in endless noise is abandoned`(
            flood: (first: String, again: String)
        ) throws {
            let (result, _) = try exchange {
                $0.maximumBody = 64 << 10
            } _: { channel in
                let count = (2 << 20) / flood.again.utf8.count
                channel.send(flood.first + String(repeating: flood.again, count: count))
            }
            guard case .failure(let failure) = result, case .connection(.abusive(let words)) = failure.cause
            else {
                Issue.record("\(result)")
                return
            }
            #expect(failure.kind == .undecided)
            #expect(words.contains("more than"))
        }

        @Test func `a body in one-byte chunks is abandoned if it is too long`() throws {
            let (result, _) = try exchange {
                $0.maximumBody = 64 << 10
            } _: { channel in
                channel.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                channel.send(String(repeating: "1\r\n \r\n", count: 200_000))
            }
            guard case .failure(let failure) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(failure.cause == .bodyTooLong(most: 64 << 10))
        }

        @Test func `a truncated answer is undecided and keeps its received status`() throws {
            let failure = try failure { channel in
                channel.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"acc")
                channel.closeWhenSent()
            }
            #expect(failure?.cause == .truncated && failure?.kind == .undecided && failure?.status == 200)
        }

        @Test func `a missing answer is undecided after the timeout`() throws {
            let failure = try failure {
                $0.timeout = .milliseconds(200)
            } _: { _ in
            }
            #expect(failure?.cause == .timedOut && failure?.kind == .undecided && failure?.status == nil)
        }

        @Test(arguments: [nil, []] as [[UInt8]?])
        func `a request without a body is undecided after the timeout too`(body: [UInt8]?) throws {
            let seen = Seen()
            let failure = try failure {
                $0.method = body == nil ? "GET" : "PUT"
                $0.body = body
                $0.timeout = .milliseconds(500)
            } _: { channel in
                seen.text.withLock { $0 = String(decoding: channel.received, as: UTF8.self) }
            }
            #expect(seen.text.withLock { $0.hasSuffix("\r\n\r\n") }, "the peer has it")
            #expect(failure?.cause == .timedOut && failure?.kind == .undecided && failure?.status == nil)
        }

        @Test func `if a peer never completes a connection, nothing was sent to the peer`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { $0.isMute = true }
                var request = HTTPRequest("GET", fixture.endpoint(peer), path: "/")
                request.timeout = .milliseconds(100)
                var result: HTTPResult?
                try HTTPExchange(loop: fixture.loop, request: request) { result = $0 }
                try fixture.until("it is completed") { result != nil }
                guard case .failure(let failure) = result else { return }
                #expect(failure.kind == .neverSent)
                peer.order { $0.channels.first?.abort() }
            }
        }

        @Test func `if a peer closes after the request, the request is undecided`() throws {
            let failure = try failure { $0.close() }
            #expect(failure?.kind == .undecided)
        }

        @Test func `an oversized answer is truncated`() throws {
            let failure = try failure {
                $0.maximumBody = 10
            } _: { channel in
                channel.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
            }
            #expect(failure?.cause == .bodyTooLong(most: 10) && failure?.status == 200)
        }

        @Test func `nothing is sent to an untrusted peer`() throws {
            let other = TestAuthority(name: "Other").pem
            let failure = try failure {
                $0.tls = TLSIdentity(trust: .pem(other))
            } _: { _ in
            }
            #expect(failure?.kind == .neverSent)
        }

        @Test func `a cancelled exchange completes once`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { $0.isMute = true }
                let request = HTTPRequest("GET", fixture.endpoint(peer), path: "/")
                var results: [HTTPResult] = []
                let exchange = try HTTPExchange(loop: fixture.loop, request: request) { results.append($0) }
                exchange.cancel()
                exchange.cancel()
                #expect(results.isEmpty)
                try fixture.until("it is completed") { !results.isEmpty }
                try fixture.turn()
                #expect(results.count == 1)
                guard case .failure(let failure) = results[0] else { return }
                #expect(failure.cause == .local)
                peer.order { $0.channels.first?.abort() }
            }
        }

        /// By default, libcurl sends a POST again after a reset on a reused connection. Here it must not.
        @Test(arguments: [HTTPRequest.Reuse.never, .allowed])
        func `a POST request is sent once, whatever happens to the connection`(reuse: HTTPRequest.Reuse)
            throws
        {
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    options.protocolName = nil
                    options.kind = .bytes { channel in
                        guard String(decoding: channel.received, as: UTF8.self).hasSuffix("=body") else {
                            return
                        }
                        channel.received = []
                        channel.peer.record { $0.pings += 1 }
                        if channel.peer.tally.pings == 1 {
                            channel.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                        } else {
                            channel.peer.record { $0.mostConcurrent = $0.accepted }
                            channel.abort()
                        }
                    }
                }
                var request = HTTPRequest(
                    "POST", fixture.endpoint(peer), path: "/send", body: Array("grant=body".utf8))
                request.tls = TLSIdentity(trust: .pem(fixture.authority.pem))
                request.reuse = reuse
                var results: [HTTPResult] = []
                try HTTPExchange(loop: fixture.loop, request: request) { results.append($0) }
                try fixture.until("the first is answered") { results.count == 1 }
                try HTTPExchange(loop: fixture.loop, request: request) { results.append($0) }
                try fixture.until("the second has failed") { results.count == 2 }
                guard case .failure(let failure) = results[1] else {
                    Issue.record("\(results[1])")
                    return
                }
                #expect(failure.kind == .undecided)
                #expect(peer.tally.pings == 2, "the POST was sent again")
                #expect(
                    peer.tally.mostConcurrent == (reuse == .never ? 2 : 1),
                    "connections when the second POST came")
            }
        }

        /// Bytes that were received earlier on the same connection do not count as noise in this exchange.
        @Test func `each exchange on a kept connection has its own limits`() throws {
            try Testbed.run { fixture in
                let peer = fixture.peer { options in
                    options.protocolName = nil
                    options.kind = .bytes { channel in
                        guard String(decoding: channel.received, as: UTF8.self).hasSuffix("=body") else {
                            return
                        }
                        channel.received = []
                        channel.send("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n")
                        channel.send(String(repeating: "x", count: 65_536))
                    }
                }
                var request = HTTPRequest(
                    "POST", fixture.endpoint(peer), path: "/send", body: Array("grant=body".utf8))
                request.tls = TLSIdentity(trust: .pem(fixture.authority.pem))
                request.reuse = .allowed
                request.maximumBody = 65_536
                var answered = 0
                // Twice as much as a single exchange may receive.
                for number in 1...16 {
                    var failed: HTTPFailure?
                    try HTTPExchange(loop: fixture.loop, request: request) { result in
                        if case .failure(let failure) = result { failed = failure } else { answered += 1 }
                    }
                    try fixture.until("exchange \(number) is over") { answered == number || failed != nil }
                    if let failed {
                        Issue.record("exchange \(number): \(failed)")
                        return
                    }
                }
                #expect(peer.tally.accepted == 1)
                // libcurl would keep the connection.
                peer.order { $0.channels.first?.abort() }
            }
        }

        private func failure(
            _ change: (inout HTTPRequest) -> Void = { _ in },
            _ answer: @escaping @Sendable (PeerChannel) -> Void
        ) throws -> HTTPFailure? {
            let (result, _) = try exchange(change, answer)
            guard case .failure(let failure) = result else { return nil }
            return failure
        }
    }
}

private final class Seen: Sendable {
    let text = Mutex("")
}
