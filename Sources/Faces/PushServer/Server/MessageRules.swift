internal import NIOHTTP1

/// The requirements of RFC 9112 for the head of a request, except its syntax, which the parser has already
/// checked.
enum MessageRules {
    /// The state of the connection after the request is answered.
    enum Persistence {
        case persists
        /// The connection persists because an HTTP/1.0 client requested it. The answer must confirm that.
        case persistsByRequest
        case ends
    }

    /// A fault that prevents a request from being carried out. The connection ends after the request, because
    /// the start of the next request is uncertain.
    struct Fault: Error {
        let status: HTTPResponseStatus
        let why: String
    }

    /// - Returns: The persistence, and whether the client waits for `100 Continue` before it sends the body
    ///   (RFC 9110, 10.1.1).
    static func read(
        _ head: HTTPRequestHead
    ) throws(Fault) -> (persistence: Persistence, awaitsContinue: Bool) {
        guard head.version.major == 1 else {
            throw Fault(
                status: .httpVersionNotSupported, why: "this version of HTTP is not supported; use HTTP/1.1")
        }
        let isOld = head.version.minor == 0
        var hosts = 0
        var codings: [Substring] = []
        var (closes, keepsAlive) = (false, false)
        var (hasUpgrade, upgrades) = (false, false)
        var (expects, hasLength) = (false, false)
        for (name, value) in head.headers {
            // Most fields can be distinguished by the length of their names.
            switch name.utf8.count {
            case 4 where isName(name, "host"):
                hosts += 1
                guard isHost(value) else { throw bad("Host: must be a host with an optional port") }
            case 6 where isName(name, "expect"):
                if options(value).contains(where: { isName($0, "100-continue") }) { expects = true }
            case 7 where isName(name, "upgrade"): hasUpgrade = true
            case 10 where isName(name, "connection"):
                for option in options(value) {
                    if isName(option, "close") { closes = true }
                    if isName(option, "keep-alive") { keepsAlive = true }
                    if isName(option, "upgrade") { upgrades = true }
                }
            case 14 where isName(name, "content-length"): hasLength = hasLength || Int(value) != 0
            case 17 where isName(name, "transfer-encoding"): codings += options(value)
            default: break
            }
        }
        guard hosts <= 1 else { throw bad("Host: appears more than once") }
        guard hosts == 1 || isOld else { throw bad("Host: missing") }
        if !codings.isEmpty { try check(codings, isOld: isOld) }
        let awaitsContinue = expects && !isOld && (hasLength || !codings.isEmpty)
        // The server does not switch protocols or open tunnels. After a request to do so, however, the parser
        // treats the following bytes as another protocol, so the next request would never be read.
        let ends = hasUpgrade && upgrades || head.method == .CONNECT || closes || isOld && !keepsAlive
        return (ends ? .ends : isOld ? .persistsByRequest : .persists, awaitsContinue)
    }

    /// Checks the transfer codings according to RFC 9112, 6.1 and 6.3: only the coding `chunked` delimits a
    /// request's body, so it must appear exactly once, as the last coding.
    private static func check(_ codings: [Substring], isOld: Bool) throws(Fault) {
        guard !isOld else { throw bad("Transfer-Encoding: must not be used with HTTP/1.0") }
        guard let last = codings.last, isName(last, "chunked") else {
            throw bad("Transfer-Encoding: the last coding must be chunked")
        }
        guard codings.count > 1 else { return }
        guard codings.dropLast().allSatisfy({ !isName($0, "chunked") }) else {
            throw bad("Transfer-Encoding: chunked appears more than once")
        }
        throw Fault(
            status: .notImplemented, why: "Transfer-Encoding: only chunked is supported")
    }

    private static func bad(_ why: String) -> Fault { Fault(status: .badRequest, why: why) }

    /// Returns the members of a comma-separated list, without empty members.
    private static func options(_ value: String) -> [Substring] {
        value.split(separator: ",").compactMap { part in
            let start = part.drop { $0 == " " || $0 == "\t" }
            guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return nil }
            return start[...end]
        }
    }

    /// - Parameter name: A lower-case name.
    private static func isName(_ text: some StringProtocol, _ name: String) -> Bool {
        text.utf8.elementsEqual(name.utf8) { $0 | 0x20 == $1 }
    }

    /// Reports whether a value is a host according to RFC 3986, 3.2.2: a name, an address or an empty text,
    /// optionally followed by a port.
    private static func isHost(_ value: String) -> Bool {
        value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"):
                true
            default: otherHostSigns.contains(byte)
            }
        }
    }

    private static let otherHostSigns = Array("-_~!$&'()*+;=%[]".utf8)
}
