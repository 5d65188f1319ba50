/// The answer to a registering device: `<register status="ok"/>`, or `error` with a code and a message.
package enum RegistrationAnswer {
    package static let contentType = "application/xml; charset=utf-8"

    /// - Parameter refusal: `nil` if the device is registered and the registration is on disk.
    package static func body(_ refusal: RegistrationRefusal?) -> [UInt8] {
        refusal.map(written) ?? registered
    }

    private static let registered = written(nil)

    private static func written(_ refusal: RegistrationRefusal?) -> [UInt8] {
        var bytes = Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)
        bytes += "<register status=".utf8
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
