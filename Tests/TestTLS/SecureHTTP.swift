package import PushTransport

/// A request to a server on this machine by libcurl, a client that verifies the server's identity.
package enum SecureHTTP {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter address: For example `127.0.0.1:8443`. The server must prove that it is `localhost`.
    /// - Parameter authority: The only authority that the client trusts.
    package static func ask(
        _ path: String, at address: String, trusting authority: TestAuthority, method: String = "GET",
        headers: [HTTPRequest.Header] = [], body: [UInt8]? = nil
    ) throws -> HTTPResponse {
        guard let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(description: "no address: \(address)")
        }
        let server = Endpoint(
            host: "localhost", port: port, connectTo: Endpoint.ConnectTarget(host: "127.0.0.1", port: port))
        var request = HTTPRequest(method, server, path: path, headers: headers, body: body)
        request.tls = TLSIdentity(trust: .pem(authority.pem))
        request.connectTimeout = .seconds(60)
        request.timeout = .seconds(120)
        let loop = try TransportLoop()
        var result: HTTPResult?
        try HTTPExchange(loop: loop, request: request) { result = $0 }
        while result == nil { _ = try loop.wait(atMostMilliseconds: 1_000) }
        switch result {
        case .response(let response): return response
        case .failure(let failure): throw Failure(description: "\(failure)")
        case nil: throw Failure(description: "nothing was said")
        }
    }
}
