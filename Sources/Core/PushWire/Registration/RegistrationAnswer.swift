/// The answer to a registering device: `<register status="ok"/>`, or `error` with a code and a message. A
/// device that ends its registration or opts out gets the same answer with another element, or as JSON if its
/// request was JSON.
package enum RegistrationAnswer {
    /// The name of the element.
    package enum Element: String, Sendable { case register, unregister, optOut }

    package static let contentType = "application/xml; charset=utf-8"
    package static let jsonContentType = "application/json; charset=utf-8"

    /// - Parameter refusal: `nil` if the device is registered and the registration is on disk.
    package static func body(_ refusal: RegistrationRefusal?, to element: Element = .register) -> [UInt8] {
        guard element == .register, refusal == nil else { return written(refusal, element) }
        return registered
    }

    package static func json(_ refusal: RegistrationRefusal?) -> [UInt8] {
        let answer: JSONValue = [
            "status": .string(refusal == nil ? "ok" : "error"),
            "code": refusal.map { .string($0.code) }, "message": refusal.map { .string("\($0)") },
        ]
        var bytes: [UInt8] = []
        answer.append(to: &bytes)
        return bytes
    }

    private static let registered = written(nil, .register)

    private static func written(_ refusal: RegistrationRefusal?, _ element: Element) -> [UInt8] {
        var bytes = Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)
        bytes += "<\(element) status=".utf8
        guard let refusal else { return bytes + #""ok"/>"#.utf8 }
        bytes += #""error" code=""#.utf8
        bytes += refusal.code.utf8
        bytes += #"" message=""#.utf8
        for byte in refusal.description.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            default: bytes.append(byte)
            }
        }
        return bytes + #""/>"#.utf8
    }
}
