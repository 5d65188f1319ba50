internal import PushModel

/// What an ``HTTPExchange`` asks for.
package struct HTTPRequest: Sendable {
    /// May the exchange use a connection that another one left open?
    ///
    /// libcurl sends a POST again, silently and up to five times, when a *reused* connection breaks before
    /// the first byte of an answer. `never` excludes that by a new connection for each exchange. `allowed`
    /// saves the handshakes and excludes it by a body that libcurl cannot rewind: such a break is then a
    /// failure, `undecided`, and happens each time a server closes an idle connection just when we use it.
    package enum Reuse: Sendable { case never, allowed }
    /// What the server is offered.
    package enum Version: Sendable {
        case http1
        /// HTTP/2 over TLS if the server chooses it, otherwise HTTP/1.1. A connection carries one exchange at a time.
        case http2IfOffered
    }
    /// A connection that was idle for longer is not used again: the server, or something on the way, may be closing it,
    /// which would leave the messages undecided.
    static let warmSeconds = 2
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var method: String
    /// `https` if it shall be secret; nothing is redirected.
    package let endpoint: Endpoint
    package let isSecure: Bool
    /// Begins with a slash.
    package let path: String
    package var headers: [Header] = []
    /// `nil`: no body (GET unless ``method`` says otherwise).
    package var body: [UInt8]?
    package var tls = TLSIdentity()
    package var reuse = Reuse.never
    package var version = Version.http1
    package var connectTimeout: Duration = .seconds(10)
    /// From the start to the last byte of the answer.
    package var timeout: Duration = .seconds(30)
    /// Bytes of an answer's body; one that is longer is a failure.
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

/// How an exchange ended.
package enum HTTPResult: Sendable {
    /// The whole answer, whatever its status. That it is what was hoped for (JSON, not a proxy's HTML) is the
    /// caller's to check.
    case response(HTTPResponse)
    case failure(HTTPFailure)
}

package struct HTTPResponse: Sendable {
    package let status: Int
    /// Names in lower case, in the order of their arrival.
    package let headers: [HTTPRequest.Header]
    package let body: [UInt8]

    /// The last header of this name (lower case).
    package func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }

    private static let longestField = 1_000

    /// `Name: value CR LF` as libcurl hands them over; a status line and what is no header are left out.
    static func fields(lines: [[UInt8]]) -> [HTTPRequest.Header] {
        lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                !line.starts(with: "HTTP/".utf8)
            else { return nil }
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while let last = value.last, isSpace(last) { value.removeLast() }
            return HTTPRequest.Header(
                String(printable: line[..<colon]).lowercased(), String(printable: value, atMost: longestField)
            )
        }
    }
}

package struct HTTPFailure: Sendable, CustomStringConvertible {
    package enum Kind: Sendable { case neverSent, undecided }
    package enum Cause: Sendable, Equatable {
        case connection(CloseCause)
        case timedOut
        /// The connection ended before the answer did.
        case truncated
        case bodyTooLong(most: Int)
        /// What answered does not speak HTTP.
        case notHTTP(String)
        case badURL(String)
        /// ``HTTPExchange/cancel()``.
        case local
    }
    package let kind: Kind
    package let cause: Cause
    /// Of the answer that was cut short; nil when none had come.
    package let status: Int?

    package var description: String {
        switch cause {
        case .connection(let close): close.description
        case .timedOut: "no answer in time"
        case .truncated: "the connection ended before the answer did"
        case .bodyTooLong(let most): "the answer is longer than \(most) bytes"
        case .notHTTP(let text): "what answered does not speak HTTP: \(text)"
        case .badURL(let text): "the URL cannot be used: \(text)"
        case .local: "cancelled"
        }
    }
}
