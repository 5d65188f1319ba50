/// A registration as the SDKs send it, and the formats in which the SDKs write the ids in a report.
package struct DeviceForm: Sendable {
    package var isAndroid: Bool
    package var token: String
    package var integrationKey: String
    package var userKey = ""
    /// The IMEI; Android only.
    package var imei = ""
    package var name = ""
    package var model = ""
    package var brand = ""
    package var manufacturer = ""
    package var osName = ""
    package var osVersion = ""
    package var language = ""
    /// The parameters, in the order in which they are written.
    package var parameters: [(name: String, value: String)] = []

    package init(isAndroid: Bool, token: String, integrationKey: String) {
        (self.isAndroid, self.token, self.integrationKey) = (isAndroid, token, integrationKey)
    }

    package var path: String { "/nms/mobile/1/register\(isAndroid ? "Android" : "IOS").jssp" }

    package var body: String {
        var fields = [("registrationToken", token), ("mobileAppUuid", integrationKey), ("userKey", userKey)]
        if isAndroid { fields.append(("deviceImei", imei)) }
        fields += [
            ("deviceName", name), ("deviceModel", model), ("deviceBrand", brand),
            ("deviceManufacturer", manufacturer), ("osName", osName), ("osVersion", osVersion),
            ("osLanguage", language), ("additionalParams", xml),
        ]
        return fields.map { "\($0.0)=\(Self.percentEncoded($0.1))" }.joined(separator: "&")
    }

    var request: LoadRequest {
        LoadRequest(
            "POST", path, headers: [("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")],
            body: Array(body.utf8))
    }

    private var xml: String {
        let root = isAndroid ? "additionalParameters" : "additionalParams"
        let end = isAndroid ? "/>" : " />"
        let elements = parameters.map {
            "<param name=\"\(escaped($0.name))\" value=\"\(escaped($0.value))\"\(end)"
        }
        return "<\(root)>\(elements.joined())</\(root)>"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += isAndroid ? "&#39;" : "&#x27;"
            case ">": result += "&gt;"
            case "<": result += "&lt;"
            case "\r", "\n": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The encoding of each byte. RFC 3986's unreserved characters remain as they are.
    private static let encodings: [String] = (0...UInt8.max).map { byte in
        let character = Character(Unicode.Scalar(byte))
        let isUnreserved = character.isASCII && (character.isLetter || character.isNumber)
        return isUnreserved || "-._~".contains(character)
            ? "\(character)" : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
    }

    package static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { $0 += encodings[Int($1)] }
    }

    /// Returns the text that follows the `h` in a report. An integer is written in hexadecimal, with at least
    /// two digits for iOS. Any other id is unchanged.
    package static func reported(_ message: String, isAndroid: Bool) -> String {
        guard let number = Int(message) else { return message }
        let hex = String(number, radix: 16)
        return hex.utf8.count < 2 && !isAndroid ? "0\(hex)" : hex
    }
}
