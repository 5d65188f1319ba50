internal import NIOHTTP1

/// What RFC 9112 requires of a request's head beyond the syntax, which the parser has checked.
enum MessageRules {
    /// What happens to the connection once the request is answered.
    enum Persistence {
        case persists
        /// It persists because the client, of HTTP/1.0, asked for it: the answer must confirm that.
        case persistsByRequest
        case ends
    }

    /// A request that is not carried out, after which the connection ends: where the next request begins is
    /// not certain.
    struct Fault: Error {
        let status: HTTPResponseStatus
        let why: String
    }

    /// - Returns: also whether the client sends no body before it is asked to (RFC 9110, 10.1.1).
    static func read(
        _ head: HTTPRequestHead
    ) throws(Fault) -> (persistence: Persistence, awaitsContinue: Bool) {
        guard head.version.major == 1 else {
            throw Fault(
                status: .httpVersionNotSupported, why: "the version of HTTP is not supported; use HTTP/1.1")
        }
        let isOld = head.version.minor == 0
        var hosts = 0
        var codings: [Substring] = []
        var (closes, keepsAlive) = (false, false)
        var (hasUpgrade, upgrades) = (false, false)
        var (expects, hasLength) = (false, false)
        for (name, value) in head.headers {
            // Most fields are told apart by their length.
            switch name.utf8.count {
            case 4 where isName(name, "host"):
                hosts += 1
                guard isHost(value) else { throw bad("Host: its value is not a host with an optional port") }
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
        // No protocol is switched to and no tunnel is made here, but after such a request the parser takes what follows
        // for another protocol: the next request would never be read.
        let ends = hasUpgrade && upgrades || head.method == .CONNECT || closes || isOld && !keepsAlive
        return (ends ? .ends : isOld ? .persistsByRequest : .persists, awaitsContinue)
    }

    /// RFC 9112, 6.1 and 6.3: only `chunked`, once and last, says where a request's body ends.
    private static func check(_ codings: [Substring], isOld: Bool) throws(Fault) {
        guard !isOld else { throw bad("Transfer-Encoding: HTTP/1.0 does not have it") }
        guard let last = codings.last, isName(last, "chunked") else {
            throw bad("Transfer-Encoding: the last coding must be chunked")
        }
        guard codings.count > 1 else { return }
        guard codings.dropLast().allSatisfy({ !isName($0, "chunked") }) else {
            throw bad("Transfer-Encoding: chunked appears more than once")
        }
        throw Fault(
            status: .notImplemented, why: "Transfer-Encoding: no other coding than chunked is known here")
    }

    private static func bad(_ why: String) -> Fault { Fault(status: .badRequest, why: why) }

    /// The members of a list; empty ones do not count.
    private static func options(_ value: String) -> [Substring] {
        value.split(separator: ",").compactMap { part in
            let start = part.drop { $0 == " " || $0 == "\t" }
            guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return nil }
            return start[...end]
        }
    }

    /// - Parameter name: of small letters.
    private static func isName(_ text: some StringProtocol, _ name: String) -> Bool {
        text.utf8.elementsEqual(name.utf8) { $0 | 0x20 == $1 }
    }

    /// RFC 3986, 3.2.2: a name, an address or nothing, and a port.
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
