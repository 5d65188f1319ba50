internal import PushModel

/// The request of an ``HTTPExchange``.
package struct HTTPRequest: Sendable {
    /// Whether the exchange may use a connection that another exchange left open.
    ///
    /// libcurl sends a POST again, silently and up to five times, if a *reused* connection breaks before the
    /// first byte of an answer. Both cases prevent this. `never` opens a new connection for each exchange.
    /// `allowed` saves handshakes; libcurl cannot send the request again, because it cannot rewind the body.
    /// If a reused connection breaks, the failure is therefore `undecided`. This occurs whenever a server
    /// closes an idle connection at the moment when we use it.
    package enum Reuse: Sendable { case never, allowed }
    /// The HTTP versions that are offered to the server.
    package enum Version: Sendable {
        case http1
        /// HTTP/2 over TLS if the server chooses it, otherwise HTTP/1.1. A connection carries one exchange at
        /// a time.
        case http2IfOffered
    }
    /// The maximum idle time of a reused connection, in seconds. After a longer time, the server or a device
    /// on the network path may be closing the connection, which would leave the messages undecided.
    static let warmSeconds = 2
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var method: String
    /// The server. A request that contains a secret needs `https`. Redirects are not followed.
    package let endpoint: Endpoint
    package let isSecure: Bool
    /// The path, which begins with a slash.
    package let path: String
    package var headers: [Header] = []
    /// The body; `nil` for no body (GET, unless ``method`` states otherwise).
    package var body: [UInt8]?
    package var tls = TLSIdentity()
    package var reuse = Reuse.never
    package var version = Version.http1
    package var connectTimeout: Duration = .seconds(10)
    /// The maximum time from the start of the exchange to the last byte of the answer.
    package var timeout: Duration = .seconds(30)
    /// The maximum size of an answer's body, in bytes. A longer body is a failure.
    package var maximumBody = 1 << 20

    package init(
        _ method: String, _ endpoint: Endpoint, path: String, isSecure: Bool = true, headers: [Header] = [],
        body: [UInt8]? = nil
    ) {
        (self.method, self.endpoint, self.path, self.isSecure) = (method, endpoint, path, isSecure)
        (self.headers, self.body) = (headers, body)
    }

    var url: String { "\(isSecure ? "https" : "http")://\(endpoint)\(path)" }
}

/// The result of an exchange.
package enum HTTPResult: Sendable {
    /// The complete answer, whatever its status. The caller must check that it has the expected content
    /// (JSON, not a proxy's HTML).
    case response(HTTPResponse)
    case failure(HTTPFailure)
}

package struct HTTPResponse: Sendable {
    package let status: Int
    /// The headers in the order of their arrival, with names in lower case.
    package let headers: [HTTPRequest.Header]
    package let body: [UInt8]

    /// Returns the last header with this name (in lower case).
    package func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }

    private static let maxFieldLength = 1_000

    /// Parses lines of the form `Name: value CR LF` from libcurl; status lines and lines that are not headers
    /// are omitted.
    static func fields(lines: [[UInt8]]) -> [HTTPRequest.Header] {
        lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                !line.starts(with: "HTTP/".utf8)
            else { return nil }
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while let last = value.last, isSpace(last) { value.removeLast() }
            return HTTPRequest.Header(
                String(printable: line[..<colon]).lowercased(),
                String(printable: value, atMost: maxFieldLength)
            )
        }
    }
}

package struct HTTPFailure: Sendable, CustomStringConvertible {
    package enum Kind: Sendable { case neverSent, undecided }
    package enum Cause: Sendable, Equatable {
        case connection(CloseCause)
        case timedOut
        /// The connection ended before the end of the answer.
        case truncated
        case bodyTooLong(most: Int)
        /// The peer does not speak HTTP.
        case notHTTP(String)
        case badURL(String)
        /// The caller called ``HTTPExchange/cancel()``.
        case local
    }
    package let kind: Kind
    package let cause: Cause
    /// The status of the truncated answer; `nil` if no status had arrived.
    package let status: Int?

    package var description: String {
        switch cause {
        case .connection(let close): close.description
        case .timedOut: "no answer in time"
        case .truncated: "the connection ended before the answer was complete"
        case .bodyTooLong(let most): "the answer is longer than \(most) bytes"
        case .notHTTP(let text): "the peer does not use HTTP: \(text)"
        case .badURL(let text): "the URL is not usable: \(text)"
        case .local: "cancelled"
        }
    }
}
