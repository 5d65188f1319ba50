import Foundation
import TestSupport
import Testing

/// Tests of the rules in RFC 9112 for a connection and for the head of a request, for requests that the
/// router answers and for requests that are answered before the router.
@Suite struct MessageRulesTests {
    /// One target that the router answers, and one that is answered before the router.
    private static let targets = ["/healthz", "/r/?id=h1,1,1"]

    @Test(
        arguments: MessageRulesTests.targets,
        [
            "HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: close\r\n",
            "HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n",
            "HTTP/1.1\r\nHost: a\r\nConnection: CLOSE\r\n",
            "HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\n",
            "HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection:\tclose ,,\r\n",
            "HTTP/1.0\r\nConnection: keep-alive, close\r\n",
        ])
    func `the answer to the last request announces that the connection closes, and closes it`(
        target: String, rest: String
    ) async throws {
        try await WebFixture.with { web in
            // The server does not execute the next request.
            let exchange = try Exchange.of(
                "GET \(target) \(rest)\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", answers: 1, with: web)
            #expect(exchange.statuses == ["200"] && exchange.isClosed, "\(rest)")
            #expect(exchange.heads.first?.lowercased().contains("\r\nconnection: close") == true, "\(rest)")
        }
    }

    @Test(
        arguments: MessageRulesTests.targets,
        [
            "HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1\r\nHost: a:8080\r\nConnection: keep-alive\r\n",
            "HTTP/1.1\r\nhOST: [::1]:80\r\nConnection: x-closed, Keep-Alive\r\n", "HTTP/1.1\r\nHost:\r\n",
        ])
    func `the answer to any other request leaves the connection open`(target: String, rest: String)
        async throws
    {
        try await WebFixture.with { web in
            let request = "GET \(target) \(rest)\r\n"
            let exchange = try Exchange.of(
                request + request + "GET /healthz HTTP/1.0\r\n\r\n", answers: 3, with: web)
            #expect(exchange.statuses == ["200", "200", "200"], "\(rest)")
        }
    }

    @Test(arguments: MessageRulesTests.targets)
    func `an HTTP 1.0 client that requests keep-alive receives a header that confirms it`(
        target: String
    )
        async throws
    {
        try await WebFixture.with { web in
            let request = "GET \(target) HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            let exchange = try Exchange.of(
                request + request + "GET \(target) HTTP/1.0\r\n\r\n", answers: 3, with: web)
            #expect(exchange.statuses == ["200", "200", "200"])
            let connections = exchange.heads.map { head in
                head.lowercased().components(separatedBy: "\r\nconnection: ").last?
                    .components(separatedBy: "\r\n").first
            }
            #expect(connections == ["keep-alive", "keep-alive", "close"])
        }
    }

    @Test(arguments: [
        ("GET /healthz HTTP/1.1\r\n", "400"), ("GET /r/?id=h1,1,1 HTTP/1.1\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n", "400"),
        ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: a, b\r\n", "400"), ("GET /healthz HTTP/1.1\r\nHost: a/b\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n", "400"),
        (
            "POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "400"
        ),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n", "501"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n", "400"),
        ("POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n", "400"),
        ("POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n", "400"),
    ])
    func
        `a request with an ambiguous host or length is refused after earlier answers and ends the connection`(
            head: String, status: String
        ) async throws
    {
        try await WebFixture.with { web in
            let before =
                "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /r/?id=h1,1,1 HTTP/1.1\r\nHost: a\r\n\r\n"
            let after = "5\r\nhello\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
            let exchange = try Exchange.of(before + head + "\r\n" + after, answers: 3, with: web)
            #expect(exchange.statuses == ["200", "200", status] && exchange.isClosed, "\(head)")
            #expect(exchange.heads.last?.lowercased().contains("\r\nconnection: close") == true, "\(head)")
        }
    }

    @Test func `a chunked body is read, whatever the case of the transfer coding's name`() async throws {
        try await WebFixture.with { web in
            let head =
                "POST /nms/mobile/1/registerIOS.jssp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n"
            let exchange = try Exchange.of(
                head + "\r\n5\r\nhello\r\n0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n", answers: 2, with: web)
            #expect(exchange.statuses.count == 2 && exchange.statuses.last == "200")
        }
    }
}
