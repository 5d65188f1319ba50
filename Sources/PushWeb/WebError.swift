internal import Glibc
internal import PushModel

/// Why the web module does not serve. One line: what, where, what to do.
package struct WebError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description.printable(atMost: 1_000) }

    static func cannotListen(on place: String, errorNumber: Int32, why: String) -> WebError {
        WebError("the web module cannot listen on \(place): \(why); \(advice(errorNumber))")
    }

    private static func advice(_ errorNumber: Int32) -> String {
        switch errorNumber {
        case EADDRINUSE:
            "give web/@httpPort another port in serverConf.xml, 0 for any free one, or set "
                + "web/@autoStart to false"
        case EACCES: "ports below 1024 need a privilege: give web/@httpPort another one in serverConf.xml"
        case EADDRNOTAVAIL: "web/@bind names an address that this machine does not have"
        default: "look at web/@bind and web/@httpPort in serverConf.xml"
        }
    }
}
